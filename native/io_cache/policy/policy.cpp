#include "io_cache/policy/policy.hpp"

#include <new>

#include "io_cache/policy/keep_first.hpp"
#include "io_cache/policy/lirs.hpp"
#include "io_cache/policy/lru.hpp"
#include "io_cache/policy/next_use.hpp"

namespace clearway::io_cache {

namespace {

template <class Chosen>
std::unique_ptr<Policy> make(std::uint32_t frames) {
    std::unique_ptr<Chosen> policy(new (std::nothrow) Chosen);
    if (policy == nullptr || !policy->allocate(frames)) return nullptr;
    return policy;
}

struct Named {
    std::string_view name;
    std::unique_ptr<Policy> (*make)(std::uint32_t frames);
};

constexpr Named kPolicies[] = {
    {"lru", make<Lru>},
    {"keep-first", make<KeepFirst>},
    {"lirs", make<Lirs>},
    {"next-use", make<NextUse>},
};

}  // namespace

std::unique_ptr<Policy> make_policy(std::string_view name, std::uint32_t frames) {
    for (const Named& known : kPolicies)
        if (known.name == name) return known.make(frames);
    return nullptr;
}

}  // namespace clearway::io_cache
