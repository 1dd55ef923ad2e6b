# A stack is changed by path, or based on another; messages name who said it; what cannot act is refused.
ask() { dtsim in/small.json --engine fluid --set 'devices=[4]' --format csv "$@" | tail -1 | cut -d, -f1-12; }
ask
ask --set stack.fixed_s=0
ask --set 'stack={"base": "none", "fixed_s": 0.5}'
ask --set stack.fixed=1
ask --set stack.fixed_s=x
ask --set stack.base=pytorch_dpd
ask --set 'stack={"bas": "none"}'
ask --set stack.transport.between=verbs --set platform.transports.between=gloo
ask --set device=p100 --set platform.node.device=v100
