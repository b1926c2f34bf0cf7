import { ConfigInvalid } from '@pawl/base/errors'
import { showHidden } from '@pawl/base/show-hidden'
import { readHealthAddress } from '../settings/read-for-commands.ts'

/** Exits with 0 if the process of this container answers, else 1; the image has no curl. A worker has only its admin listener, where a 401 counts as an answer. */
try {
  const { status } = await fetch(readHealthAddress(process.env), { signal: AbortSignal.timeout(4_000) })
  process.exitCode = status === 200 || status === 401 ? 0 : 1
} catch (error) {
  if (error instanceof ConfigInvalid) process.stderr.write(`${showHidden(error.message)}\n`)
  process.exitCode = 1
}
