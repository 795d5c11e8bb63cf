#include <stdexcept>

#include "all_adapters.h"
#include "tools/aclimb/replay/adapter.h"

namespace aclimb::cli {

const Adapter& AdapterOf(const contract::Contract& contract) {
  for (const Adapter* adapter : kAllAdapters) {
    if (adapter->contract == &contract) return *adapter;
  }
  throw std::logic_error("an operator has no adapter");
}

}  // namespace aclimb::cli
