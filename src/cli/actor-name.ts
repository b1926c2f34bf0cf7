import { hostname, userInfo } from 'node:os'

/** The user and the machine that run this command. */
export function readActorName(): string {
  // One word of plain characters, since it is sent as a header.
  return `${readUser()}@${hostname()}`.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 120)
}

function readUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a uid without a user.
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
