#pragma once

namespace aclimb {

// With true the messages of all threads go to one list (err_msg_mode "1" of the configuration), and
// whoever asks first reads them, later too; answers (core/answers.h) stay with their thread.
void ShareMessages(bool shared);

}  // namespace aclimb
