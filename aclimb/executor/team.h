#pragma once

namespace aclimb {

// Gives the compute team of this library the size and the cancel query that the runtime knows. Both
// phases call it first: plans book scratch for as many threads as runs will have.
void ConfigureTeam();

}  // namespace aclimb
