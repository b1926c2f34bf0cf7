import { ConfigInvalid } from '@pawl/base/errors'
import { dropEmptyZone } from './settings/process-settings.ts'
import { readConfig } from './settings/read-config.ts'
import { startGateway } from './gateway.ts'
import { loadIntegration } from './work/load-integration.ts'
import { createLog } from '@pawl/base/log'
import { describeIntegration } from '@pawl/base/project-folder'
import { showHidden } from '@pawl/base/show-hidden'
import { startTracing } from '@pawl/base/tracing/start-tracing'

/** The process: settings in, signals out. `--paused` pauses all work until a person resumes it. Exits 0 after a stop, 1 if it cannot start or must not go on, 2 if the settings are wrong. */
async function main(integration: Awaited<ReturnType<typeof loadIntegration>>): Promise<void> {
  // The process's files are for its user only, regardless of the inherited umask.
  process.umask(process.umask() | 0o077)
  dropEmptyZone(process.env)
  const config = readConfig(
    process.argv.includes('--paused') ? { ...process.env, START_PAUSED: 'true' } : process.env,
    integration.settings,
  )
  const { logFields: ownFields } = integration
  const isReadable = process.stdout.isTTY && !config.isProduction
  const log = createLog({
    level: config.logLevel,
    showForeignErrors: !config.isProduction,
    ownFields,
    ...(isReadable && (await readableOutput())),
  })
  log.info({}, `the integration is ${describeIntegration()}`)
  const tracing = await startTracing({ endpoint: config.tracesEndpoint, log })
  const gateway = await startGateway(config, integration, { log })

  let isStopping = false
  const stop = async (reason: string, exitCode: number, options = { crashed: false }) => {
    if (isStopping) return
    isStopping = true
    log.info({ reason }, 'stopping')
    await gateway.close(options)
    await tracing.close()
    log.info({}, 'stopped')
    // Handles left open by a handler or connector must not keep the process alive.
    process.exit(exitCode)
  }
  process.on('SIGTERM', () => void stop('SIGTERM', 0))
  process.on('SIGINT', () => void stop('SIGINT', 0))
  process.on('uncaughtException', (error) => {
    // The process's state is unknown now, but the ledger's is sound: stop, and let the supervisor restart.
    log.error({ error }, 'uncaught exception')
    void stop('uncaught_exception', 1, { crashed: true })
  })
}

/** Readable standard output, on a terminal in development; JSON if `pino-pretty` is not installed. */
async function readableOutput(): Promise<{ destination?: { write(line: string): void } }> {
  const module = await import('@pawl/base/pretty-log').catch(() => undefined)
  const pretty = module?.createPrettyLog({ isColoured: (process.env.NO_COLOR ?? '') === '' })
  return pretty === undefined ? {} : { destination: { write: (line) => void process.stdout.write(pretty(line) ?? '') } }
}

/** The message with the code of its cause, such as ECONNREFUSED, SQLITE_NOTADB or a SQLSTATE, to show where to look. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { message, cause } = error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? `${message} (${code})` : message
}

// Rethrows an error in the integration's sources, since Node reports its place.
const loaded = await loadIntegration().catch((error: unknown) => {
  if (error instanceof ConfigInvalid) return error
  throw error
})
try {
  if (loaded instanceof ConfigInvalid) throw loaded
  await main(loaded)
} catch (error) {
  const isExpected = error instanceof ConfigInvalid
  process.stderr.write(`${showHidden(isExpected ? error.message : `pawl could not start: ${reasonOf(error)}`)}\n`)
  process.exitCode = isExpected ? 2 : 1
}
