import { ConfigInvalid } from '../base/errors.ts'
import { showHidden } from '../base/show-hidden.ts'
import { readHealthAddress } from '../settings/read-for-commands.ts'

/** Exits 0 when the process beside it answers, 1 when not: for a container, which has no curl. A worker has only its admin listener, where a 401 is an answer too. */
try {
  const { status } = await fetch(readHealthAddress(process.env), { signal: AbortSignal.timeout(4_000) })
  process.exitCode = status === 200 || status === 401 ? 0 : 1
} catch (error) {
  if (error instanceof ConfigInvalid) process.stderr.write(`${showHidden(error.message)}\n`)
  process.exitCode = 1
}
