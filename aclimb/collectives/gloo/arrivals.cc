#include "aclimb/collectives/gloo/arrivals.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace aclimb::collectives {
namespace {

int Checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace

Arrivals::Arrivals()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  try {
    Checked(epoll_, "epoll_create1");
    Checked(wake_, "eventfd");
    Add(wake_, nullptr);
  } catch (...) {
    close(epoll_);
    close(wake_);
    throw;
  }
}

Arrivals::~Arrivals() {
  close(epoll_);
  close(wake_);
}

void Arrivals::Add(int socket, Connection* connection) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.ptr = connection;
  Checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event), "epoll_ctl");
}

void Arrivals::Remove(int socket) { epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr); }

void Arrivals::HandleUntil(const std::function<bool()>& done, Clock::time_point deadline) {
  std::array<epoll_event, 16> events;
  while (!done()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return;
    constexpr int64_t kLongest = 1 << 30;
    const int count = epoll_wait(epoll_, events.data(), events.size(),
                                 static_cast<int>(std::min<int64_t>(left, kLongest)));
    if (errno != EINTR) Checked(count, "epoll_wait");
    for (int i = 0; i < count; ++i) {
      if (auto* const connection = static_cast<Connection*>(events[i].data.ptr)) {
        connection->HandleArrival();
      } else {
        uint64_t wakes = 0;
        [[maybe_unused]] const ssize_t got = read(wake_, &wakes, sizeof(wakes));
      }
    }
  }
}

void Arrivals::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = write(wake_, &one, sizeof(one));
}

}  // namespace aclimb::collectives
