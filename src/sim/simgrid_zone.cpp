#include <exception>
#include <string>
#include <unordered_map>
#include <vector>

#include <simgrid/engine.h>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include "sim/simgrid_zone.h"

using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::NetZoneImpl;
using simgrid::kernel::routing::Route;
using simgrid::s4u::Link;

namespace
{

/* Names that changed. */
#if SIMGRID_VERSION >= 40000
simgrid::s4u::Host *new_host(NetZoneImpl *zone, const std::string &name)
{
    return zone->get_iface()->add_host(name, 1e9);
}
Link *new_link(NetZoneImpl *zone, const std::string &name, double capacity)
{
    return zone->get_iface()->add_link(name, capacity);
}
void place(NetZoneImpl *zone)
{
    zone->set_parent(simgrid::s4u::Engine::get_instance()->get_netzone_root()->get_impl());
}
#else
simgrid::s4u::Host *new_host(NetZoneImpl *zone, const std::string &name)
{
    return zone->get_iface()->create_host(name, 1e9);
}
Link *new_link(NetZoneImpl *zone, const std::string &name, double capacity)
{
    return zone->get_iface()->create_link(name, capacity);
}
void place(NetZoneImpl *)
{
    // the first zone is the root
}
#endif
#if SIMGRID_VERSION >= 33500
/* Takes over the messages, and names them as they are over. */
void wait_each(const std::vector<simgrid::s4u::CommPtr> &comms, void (*over)(void *, int),
               void *self)
{
    simgrid::s4u::ActivitySet left;
    std::unordered_map<const void *, int> numbers;
    for (auto &comm : comms) {
        numbers[static_cast<simgrid::s4u::Activity *>(comm.get())] =
            static_cast<int>(numbers.size());
        left.push(comm);
    }
    while (!left.empty())
        over(self, numbers.at(left.wait_any().get()));
}
#else
void wait_each(std::vector<simgrid::s4u::CommPtr> comms, void (*over)(void *, int), void *self)
{
    std::vector<int> numbers;
    for (size_t i = 0; i < comms.size(); i++)
        numbers.push_back(static_cast<int>(i));
    while (!comms.empty()) {
        auto next = static_cast<size_t>(simgrid::s4u::Comm::wait_any(comms));
        over(self, numbers[next]);
        comms[next] = comms.back();
        numbers[next] = numbers.back();
        comms.pop_back();
        numbers.pop_back();
    }
}
#endif
#if SIMGRID_VERSION >= 33300
const char *const time_precision = "--cfg=precision/timing:1e-12";
#else
const char *const time_precision = "--cfg=surf/precision:1e-12";
#endif

/* A zone that asks the network for every route. */
class net_zone : public NetZoneImpl
{
  public:
    net_zone(const struct dts_net *net, const struct dts_simgrid_paths *paths)
        : NetZoneImpl("net"), net_(net), paths_(*paths)
    {
        place(this);
        for (int l = 0; l < net->links; l++)
            links_.push_back(make_link(
                "l" + std::to_string(l), net->ops->capacity(net->self, l) * DTS_SIMGRID_PARTS,
                net->ops->shared == nullptr || net->ops->shared(net->self, l)));
        // SimGrid refuses a route without links: between a device and its own host
        nothing_ = make_link("nothing", 1e30, false);
    }

    simgrid::s4u::Host *host(int endpoint)
    {
        auto known = hosts_.find(endpoint);
        if (known != hosts_.end())
            return known->second;
        auto *made = new_host(this, "e" + std::to_string(endpoint));
        auto id = made->get_netpoint()->id();
        if (endpoints_.size() <= id)
            endpoints_.resize(id + 1, -1);
        endpoints_[id] = endpoint;
        return hosts_[endpoint] = made;
    }

    void get_local_route(const NetPoint *from, const NetPoint *to, Route *route,
                         double *) override
    {
        int src = endpoints_[from->id()], dst = endpoints_[to->id()];
        int links[DTS_MAX_ROUTE];
        int path = paths_.next(paths_.self, src, dst);
        int hops = src == dst ? 0 : net_->ops->route(net_->self, src, dst, path, links);
        for (int h = 0; h < hops; h++)
            route->link_list_.push_back(links_[links[h]]->get_impl());
        if (hops == 0)
            route->link_list_.push_back(nothing_->get_impl());
    }

  private:
    const struct dts_net *net_;
    struct dts_simgrid_paths paths_;
    std::vector<Link *> links_;
    Link *nothing_;
    std::unordered_map<int, simgrid::s4u::Host *> hosts_;
    std::vector<int> endpoints_; // by number of the netpoint

    Link *make_link(const std::string &name, double capacity, bool shared)
    {
        Link *link = new_link(this, name, capacity);
        if (!shared)
            link->set_sharing_policy(Link::SharingPolicy::FATPIPE);
        link->seal();
        return link;
    }
};

} // namespace

void dts_simgrid_start(int actors)
{
    // Above half of the kernel's default limit on mappings (65,530) no page guards a stack.
    bool many = actors > 16000;
    std::vector<std::string> words = {
        "dtsim",
        "--log=root.thresh:critical",
        "--log=root.fmt:%m%n",
        "--cfg=network/model:CM02",
        "--cfg=network/crosstraffic:0",
        "--cfg=network/TCP-gamma:1e30",
        time_precision,
        "--cfg=contexts/stack-size:256",
        many ? "--cfg=contexts/guard-size:0" : "--cfg=contexts/guard-size:1",
    };
    std::vector<char *> argv;
    for (auto &word : words)
        argv.push_back(&word[0]);
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    simgrid_init(&argc, argv.data());
}

void dts_simgrid_make(const struct dts_net *net, const int *endpoint, int count,
                      const struct dts_simgrid_paths *paths, sg_host_t *hosts)
{
    auto *zone = new net_zone(net, paths); // SimGrid owns its zones
    for (int i = 0; i < count; i++)
        hosts[i] = zone->host(endpoint[i]);
    zone->get_iface()->seal();
}

sg_mailbox_t dts_simgrid_mailbox(const char *name, sg_actor_t receiver)
{
    auto *mailbox = simgrid::s4u::Mailbox::by_name(name);
    if (receiver != nullptr)
        mailbox->set_receiver(receiver);
    return mailbox;
}

void dts_simgrid_wait_each(const sg_comm_t *comms, int count, void (*over)(void *self, int i),
                           void *self)
{
    std::vector<simgrid::s4u::CommPtr> owned;
    for (int i = 0; i < count; i++)
        owned.emplace_back(comms[i], false); // the reference was the caller's
    wait_each(owned, over, self);
}

bool dts_simgrid_load(const char *path, struct dts_error *err)
{
    try {
        simgrid::s4u::Engine::get_instance()->load_platform(path);
    } catch (const std::exception &e) {
        return dts_fail(err, DTS_BAD_INPUT, "%s", e.what());
    }
    return true;
}

int dts_simgrid_route(sg_host_t from, sg_host_t to, sg_link_t *links, int room,
                      double *latency_s)
{
    std::vector<Link *> found;
    *latency_s = 0;
    from->route_to(to, found, latency_s);
    for (size_t i = 0; i < found.size() && i < static_cast<size_t>(room); i++)
        links[i] = found[i];
    return static_cast<int>(found.size());
}

bool dts_simgrid_is_plain(sg_link_t link)
{
    auto policy = link->get_sharing_policy();
    return policy != Link::SharingPolicy::WIFI && policy != Link::SharingPolicy::NONLINEAR;
}
