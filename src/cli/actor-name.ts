import { hostname, userInfo } from 'node:os'

/** Who runs this command: the operating system's user and the machine. */
export function readActorName(): string {
  // One word of plain characters: it travels as a header.
  return `${readUser()}@${hostname()}`.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 120)
}

function readUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run as a number that no user has.
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
