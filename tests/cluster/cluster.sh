#!/bin/sh
# cluster.sh -- a cluster in one machine: a network namespace for each host, and one for the switch.
#
#     cluster.sh HOSTS RATE[:UPLINK] COMMAND...
#
# Runs COMMAND on host 1, with `cluster-mpirun` in its PATH: mpirun over all hosts, a rank on each.
# RATE and UPLINK are tc's ("200mbit"). Links are shaped on both ends, the host's and the switch's:
# with one end alone an incast would be faster than the port that it goes through. With UPLINK there
# are two switches, the first half of the hosts on one, and a link of that rate between them.
#
# All names hold this process's number; everything is torn down when it ends, and what was left by one
# that was killed when the next begins. Needs root. Exit status 77: this machine cannot do it.
[ $# -ge 3 ] || { echo "usage: cluster.sh HOSTS RATE[:UPLINK] COMMAND..."; exit 2; }
hosts=$1 rate=${2%%:*} uplink=
case $2 in *:*) uplink=${2#*:} ;; esac
shift 2
[ "$(id -u)" -eq 0 ] || { echo "skip: a cluster of network namespaces needs root"; exit 77; }
for tool in ip tc mpirun; do
    command -v $tool >/dev/null || { echo "skip: no $tool here (package iproute2, openmpi-bin)"; exit 77; }
done
name=dtsim-$$
work=$(mktemp -d) || exit 2

# tear_down NAME -- all namespaces of a cluster and what runs in them.
tear_down() {
    for space in $(ip netns list | awk '{print $1}' | grep "^$1-"); do
        ip netns pids "$space" 2>/dev/null | while read -r pid; do kill -KILL "$pid"; done
        ip netns del "$space"
    done
}
trap 'tear_down $name; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
for left in $(ip netns list | sed -n 's/^\(dtsim-[0-9]*\)-.*/\1/p' | sort -u); do
    kill -0 "${left#dtsim-}" 2>/dev/null || tear_down "$left"
done

# A bucket of 64 kB is too small for a gigabit: it is empty before the next timer tick.
burst=64kb
case $rate in *gbit) burst=256kb ;; esac

# shape NAMESPACE DEVICE RATE [src|dst] -- what leaves there. Acknowledgements go first: behind a queue of
# data of the other direction they would halve the rate of two hosts that send to each other, as no switch
# with small buffers does. They are below 128 bytes with no flag but ACK: short data, which has PSH, must not
# overtake what its own stream sent before. Each host at the other end of a flow (its source on a port of the
# switch, its destination on a host) has a queue of its own, and queues take turns: flows that meet share the
# link evenly whenever they began, and none loses packets to another. Where the kernel has only token buckets,
# these have to do.
shape() {
    on="tc -n $1"
    if ! {
        $on qdisc add dev "$2" root handle 1: htb default 20 &&
            $on class add dev "$2" parent 1: classid 1:1 htb rate "$3" burst $burst cburst $burst &&
            $on class add dev "$2" parent 1:1 classid 1:10 htb rate "$3" burst $burst cburst $burst \
                prio 0 &&
            add_queue "$2" 20 "$3" &&
            $on filter add dev "$2" parent 1: prio 1 protocol ip u32 \
                match u16 0x0000 0xff80 at 2 match u8 0x10 0xff at 33 flowid 1:10 # see above
    } 2>/dev/null; then
        $on qdisc del dev "$2" root 2>/dev/null
        $on qdisc add dev "$2" root tbf rate "$3" burst $burst latency 100ms
        return
    fi
    [ -z "$4" ] || for peer in $(seq "$hosts"); do
        class=$(printf %x $((256 + peer)))
        add_queue "$2" "$class" "$3" &&
            $on filter add dev "$2" parent 1: prio 2 protocol ip u32 \
                match ip "$4" "10.77.0.$peer/32" flowid "1:$class" || return
    done
}
# add_queue DEVICE CLASS RATE -- it holds twice what a sender may have under way.
add_queue() {
    $on class add dev "$1" parent 1:1 classid "1:$2" htb rate 64kbit ceil "$3" burst 4kb cburst $burst \
        quantum $packet prio 1 &&
        $on qdisc add dev "$1" parent "1:$2" bfifo limit $((2 * window))
}
# A packet passes one shaped link after the other, each time as a whole. Without network hardware the
# kernel makes packets of 64 kB: 5 ms at 100 Mb/s. Packets are at most 2.6 ms long; much smaller ones carry
# acknowledgements along, behind the data before them.
mbit=$(echo "$rate" | awk '/gbit$/ {print 1000 * $1; next} {print $1 + 0}')
packet=$((mbit * 320 < 64000 ? mbit * 320 : 64000))
# What a sender may have under way, in bytes: 20 ms. More would only wait in queues, and acknowledgements that
# data carries along with it: with 40 ms a server's answer to one of three workers stood still for 100 ms now
# and then, and steps were of two kinds (822 and 900 to 1,030 ms).
window=$((mbit * 2500))
small_packets() {
    ip -n "$1" link set dev "$2" gso_max_size $packet gso_max_segs $((packet / 1448 + 1)) 2>/dev/null
}
must() { "$@" || { echo "skip: this machine cannot: $*"; exit 77; }; }

must ip netns add "$name-switch"
must ip -n "$name-switch" link add sw1 type bridge
ip -n "$name-switch" link set sw1 up
if [ -n "$uplink" ]; then
    ip -n "$name-switch" link add sw2 type bridge
    ip -n "$name-switch" link set sw2 up
    ip -n "$name-switch" link add up1 type veth peer name up2
    for i in 1 2; do
        ip -n "$name-switch" link set up$i master sw$i up
        must shape "$name-switch" up$i "$uplink"
    done
fi
list=
for i in $(seq "$hosts"); do
    switch=sw1
    [ -z "$uplink" ] || [ "$i" -le $((hosts / 2)) ] || switch=sw2
    must ip netns add "$name-$i"
    ip -n "$name-$i" link set lo up
    must ip link add eth0 netns "$name-$i" type veth peer name "port$i" netns "$name-switch"
    small_packets "$name-switch" "port$i"
    small_packets "$name-$i" eth0
    ip -n "$name-switch" link set "port$i" master $switch up
    ip -n "$name-$i" addr add "10.77.0.$i/24" dev eth0
    ip -n "$name-$i" link set eth0 up
    # What a host of such a cluster would have; some kernels begin with other rules, and allow a namespace
    # to change them only by its routes. Acknowledgements leave at once rather than with the next data.
    ip netns exec "$name-$i" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0 \
        net.ipv4.tcp_wmem="4096 65536 $((2 * window))" 2>/dev/null
    ip -n "$name-$i" route change 10.77.0.0/24 dev eth0 congctl cubic quickack 1 2>/dev/null
    must shape "$name-$i" eth0 "$rate" dst
    must shape "$name-switch" "port$i" "$rate" src
    list=$list${list:+,}10.77.0.$i:1
done

# mpirun reaches a host by an agent in the place of ssh.
cat >"$work/agent" <<END
#!/bin/sh
host=\${1##*.}
shift
exec ip netns exec "$name-\$host" bash -c "\$*"
END
cat >"$work/cluster-mpirun" <<END
#!/bin/sh
# cluster-mpirun [OPTION of mpirun...] PROGRAM... -- a start that hangs is tried again.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1
for start in 1 2 3 4 5; do
    timeout -k 5 "\${DTSIM_MPI_SECONDS:-120}" mpirun --mca plm_rsh_agent "$work/agent" \\
        --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca btl tcp,self \\
        --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \\
        -x OMPI_MCA_mpi_yield_when_idle --bind-to none -host $list -n $hosts "\$@" </dev/null
    status=\$?
    [ \$status -eq 124 ] || [ \$status -eq 137 ] || exit \$status
    echo "mpirun hung, start \$start" >&2
done
exit 1
END
chmod +x "$work/agent" "$work/cluster-mpirun"
PATH=$work:$PATH ip netns exec "$name-1" "$@"
