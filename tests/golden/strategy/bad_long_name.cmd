dtsim in/small.json --set 'strategies[0].name="a name of more than forty letters fills the table"'
