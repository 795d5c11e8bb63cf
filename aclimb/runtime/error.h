#pragma once

namespace aclimb {

// With true the messages of all threads go to one list (err_msg_mode "1" of the configuration).
void ShareMessages(bool shared);

// The thread's newest message answers a question ("there is no current device") that programs ask
// to go on from there: it is gone once another message comes.
void AnswerIsKeptUntilNextMessage() noexcept;

}  // namespace aclimb
