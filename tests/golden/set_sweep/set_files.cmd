# needs simgrid
# Files that --set names are relative to where the person is, whatever file it changes.
cp in/small.json in/model.json in/stack.json in/device.json in/two.xml $TMP
mkdir $TMP/far && cp in/platform.json $TMP/far
cd $TMP
sed -i 's|"platform.json"|"far/platform.json"|' small.json
dtsim small.json --set devices=1 --set platform.node.device=./device.json --format csv | cut -d, -f1-4
dtsim small.json --set devices=1 --set 'platform.node.device="gone.json"' 2>&1 | sed "s|$PWD|HERE|g"
NONE="--set platform.nics=null --set platform.node.fabric=null"
dtsim small.json --set devices=1 $NONE --set 'platform.network={"kind": "simgrid_xml"}' --set platform.network.file=two.xml 2>&1 | sed "s|$PWD|HERE|g"
dtsim small.json --set devices=1 $NONE --set 'platform.network={"kind": "simgrid_xml", "file": "two.xml"}' 2>&1 | sed "s|$PWD|HERE|g"
dtsim small.json --set devices=1 $NONE --set 'platform.network={"kind": "simgrid_xml", "file": "gone.xml"}' 2>&1 | sed "s|$PWD|HERE|g"
