import { ConfigInvalid, readConfig } from '../config.ts'
import integration from '../integration/index.ts'

/** Exits 0 when the process beside it answers, 1 when not: for a container, which has no curl. A worker has only its admin listener, where a 401 is an answer too. */
try {
  const { role, host, port, admin } = readConfig(process.env, integration.settings)
  const [at, path] = role === 'worker' ? [admin, '/readyz'] : [{ host, port }, '/healthz']
  const name =
    at.host === '0.0.0.0' ? '127.0.0.1' : at.host === '::' ? '[::1]' : at.host.includes(':') ? `[${at.host}]` : at.host
  const { status } = await fetch(`http://${name}:${at.port}${path}`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = status === 200 || status === 401 ? 0 : 1
} catch (error) {
  if (error instanceof ConfigInvalid) process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
