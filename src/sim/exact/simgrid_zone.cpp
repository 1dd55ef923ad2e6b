/* simgrid_zone.cpp -- what needs SimGrid's C++: a zone that asks for every route. */
#include <cmath>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include "sim/exact/simgrid_zone.h"

using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::NetZoneImpl;
using simgrid::kernel::routing::Route;
using simgrid::s4u::Comm;
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
#if SIMGRID_VERSION >= 33300
const char *const time_precision = "--cfg=precision/timing:1e-12";
void on_completion(const std::function<void(const Comm &)> &over)
{
    Comm::on_completion_cb(over);
}
#else
const char *const time_precision = "--cfg=surf/precision:1e-12";
void on_completion(const std::function<void(const Comm &)> &over)
{
    // Nothing but messages ever completes.
    simgrid::s4u::Activity::on_completion_cb([over](const simgrid::s4u::Activity &activity) {
        over(static_cast<const Comm &>(activity));
    });
}
#endif

/* Which links lie on routes between these endpoints. Of few links, or where it takes longer to
 * ask than to make them, all. SimGrid takes some 900 bytes and 5 us for each. */
std::vector<bool> links_between(const struct dts_net *net, const std::vector<int> &endpoints)
{
    const int few = 1 << 14;
    std::vector<bool> between(static_cast<size_t>(net->links), net->links <= few);
    if (net->links <= few)
        return between;
    int route[DTS_MAX_ROUTE];
    long asked = 0;
    for (int from : endpoints) {
        for (int to : endpoints) {
            int paths = from == to ? 0 : net->ops->paths(net->self, from, to);
            asked += paths;
            if (asked > net->links)
                return std::vector<bool>(static_cast<size_t>(net->links), true);
            for (int path = 0; path < paths; path++) {
                int hops = net->ops->route(net->self, from, to, path, route);
                for (int h = 0; h < hops; h++)
                    between[static_cast<size_t>(route[h])] = true;
            }
        }
    }
    return between;
}

/* A zone that asks the network for every route. */
class net_zone : public NetZoneImpl
{
  public:
    net_zone(const struct dts_net *net, const std::vector<bool> &between,
             const struct dts_simgrid_path *path)
        : NetZoneImpl("net"), path_(*path)
    {
        place(this);
        links_.resize(between.size(), nullptr);
        for (int l = 0; l < net->links; l++)
            if (between[static_cast<size_t>(l)])
                links_[static_cast<size_t>(l)] =
                    make_link("l" + std::to_string(l),
                              net->ops->capacity(net->self, l) * DTS_SIMGRID_PARTS,
                              net->ops->shared == nullptr || net->ops->shared(net->self, l));
        // SimGrid refuses a route without links: between a device and its own host
        nothing_ = make_link("nothing", 1e30, false);
    }

    simgrid::s4u::Host *host(int endpoint)
    {
        auto known = hosts_.find(endpoint);
        if (known != hosts_.end())
            return known->second;
        return hosts_[endpoint] = new_host(this, "e" + std::to_string(endpoint));
    }

    void get_local_route(const NetPoint *, const NetPoint *, Route *route, double *) override
    {
        const int *links;
        int hops = path_.links(path_.self, &links);
        route->link_list_.reserve(static_cast<size_t>(hops) + 1);
        for (int h = 0; h < hops; h++)
            route->link_list_.push_back(links_[links[h]]);
        if (hops == 0)
            route->link_list_.push_back(nothing_);
    }

  private:
    struct dts_simgrid_path path_;
    using inner_link = decltype(std::declval<Link>().get_impl());
    std::vector<inner_link> links_; // to ask a Link for its own costs a dynamic cast
    inner_link nothing_;
    std::unordered_map<int, simgrid::s4u::Host *> hosts_;

    inner_link make_link(const std::string &name, double capacity, bool shared)
    {
        Link *link = new_link(this, name, capacity);
        if (!shared)
            link->set_sharing_policy(Link::SharingPolicy::FATPIPE);
        link->seal();
        return link->get_impl();
    }
};

/* Alarms, as SimGrid asks its models for what happens next. Its own timers cost an allocation
 * or two each, and a second look for flows that are over. It is asked after SimGrid's models,
 * so events come before flows that are over at the same time. */
class event_model : public simgrid::kernel::resource::Model
{
  public:
    explicit event_model(const struct dts_simgrid_events &events)
        : Model("events"), events_(events)
    {
    }

    double next_occurring_event(double now) override
    {
        double next_s = events_.next_s(events_.self);
        return std::isinf(next_s) ? -1 : next_s - now; // less than 0: nothing will
    }

    void update_actions_state(double, double) override
    {
        events_.due(events_.self);
    }

  private:
    struct dts_simgrid_events events_;
};

} // namespace

void dts_simgrid_start()
{
    std::vector<std::string> words = {
        "dtsim",
        "--log=root.thresh:critical",
        "--log=root.fmt:%m%n",
        "--cfg=network/model:CM02",
        "--cfg=network/crosstraffic:0",
        "--cfg=network/TCP-gamma:1e30",
        time_precision,
    };
    std::vector<char *> argv;
    for (auto &word : words)
        argv.push_back(&word[0]);
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    simgrid_init(&argc, argv.data());
}

void dts_simgrid_make(const struct dts_net *net, const int *endpoint, int count,
                      const struct dts_simgrid_path *path, sg_host_t *hosts)
{
    const std::set<int> endpoints(endpoint, endpoint + count);
    auto *zone = new net_zone( // SimGrid owns its zones
        net, links_between(net, {endpoints.begin(), endpoints.end()}), path);
    for (int i = 0; i < count; i++)
        hosts[i] = zone->host(endpoint[i]);
    zone->get_iface()->seal();
}

struct dts_simgrid_loop {
    struct dts_simgrid_events events;
    simgrid::s4u::SemaphorePtr end;
    Comm *over; // the flow that was over last: SimGrid needs it until its callback returns
};

static void wait_for_end(int, char **)
{
    static_cast<dts_simgrid_loop *>(sg_actor_self_get_data())->end->acquire();
}

void dts_simgrid_run(const struct dts_simgrid_events *events, sg_host_t host)
{
    dts_simgrid_loop loop = {*events, simgrid::s4u::Semaphore::create(0), nullptr};
    on_completion([&loop](const Comm &comm) {
        if (loop.over != nullptr)
            loop.over->unref();
        loop.over = const_cast<Comm *>(&comm);
        loop.events.arrived(loop.events.self, comm.get_data<void>());
    });
    // One actor there must be. (The C interface: that of C++ has other names from 4.1 on.)
    sg_actor_t actor = sg_actor_init("end", host);
    sg_actor_set_data(actor, &loop);
    sg_actor_start_(actor, wait_for_end, 0, nullptr);
    simgrid::s4u::Engine::get_instance()->add_model(std::make_shared<event_model>(loop.events));
    loop.events.begin(loop.events.self, &loop);
    simgrid_run();
}

void dts_simgrid_end(struct dts_simgrid_loop *loop)
{
    loop->end->release();
}

void dts_simgrid_enter(struct dts_simgrid_loop *, const struct dts_simgrid_flow *flow)
{
    auto comm = Comm::sendto_init();
    if (!std::isinf(flow->most_bytes_per_s)) // before it knows its ends
        comm->set_rate(flow->most_bytes_per_s * DTS_SIMGRID_PARTS);
    comm->set_source(flow->from)->set_destination(flow->to);
    comm->set_payload_size(
        static_cast<uint64_t>(std::llround(flow->bytes * DTS_SIMGRID_PARTS)));
    comm->set_data(flow->message);
    comm->add_ref(); // until it is over
    comm->start();
}

bool dts_simgrid_load(const char *path, struct dts_error *err)
{
    try {
        auto *engine = simgrid::s4u::Engine::get_instance();
        engine->load_platform(path);
        if (engine->get_host_count() > 0) // it dies of an empty one
            engine->seal_platform();      // before, a zone of kind Floyd has no routes
    } catch (const std::exception &e) {
        // of SimGrid's own a sentence, of the C++ library's a word: std::bad_alloc, stoi
        std::string what = e.what();
        const bool word = what.find(' ') == std::string::npos;
        for (char &character : what)
            character = character == '\n' ? ' ' : character;
        return dts_fail(err, DTS_BAD_INPUT, "%s%s%s",
                        word ? "SimGrid cannot build it: a size in it is too large (" : "",
                        what.c_str(), word ? ")" : "");
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

/* By name: the library does not export the type. */
bool dts_simgrid_by_coordinates(sg_host_t from, sg_host_t to)
{
    const auto *zone = from->get_englobing_zone()->get_impl();
    return zone == to->get_englobing_zone()->get_impl() &&
           std::string(typeid(*zone).name()).find("VivaldiZone") != std::string::npos;
}

bool dts_simgrid_is_plain(sg_link_t link)
{
    auto policy = link->get_sharing_policy();
    return policy != Link::SharingPolicy::WIFI && policy != Link::SharingPolicy::NONLINEAR;
}
