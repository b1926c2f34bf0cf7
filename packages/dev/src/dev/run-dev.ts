import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { nearestUrl } from '@pawl/base/net/nearest-url'
import { noDetours } from '@pawl/sandbox/platform'
import { announce, settingsOf } from './announce.ts'
import { describeCrash } from './describe-crash.ts'
import { createGatewayProcess } from './gateway-process.ts'
import { play } from '../play/play.ts'
import type { Play } from '../play/play-names.ts'
import { devFolder, devSettingsFile } from '../../../../src/cli/development-settings.ts'
import { developmentDefaults, readGatewayAddress, readGiven } from './dev-settings.ts'
import { listening, type ServicePorts, startServices } from '@pawl/testing/services/start-services'
import type { Sources } from './dev-sources.ts'
import { createTypeCheck } from './type-check.ts'
import { watchSources } from './watch-sources.ts'

/** Options of the development environment. */
export interface DevOptions {
  sources: Sources
  ports: ServicePorts & { gateway: number | undefined; admin: number | undefined }
  /** Sandbox seconds per second. */
  speed: number
  seed: number | undefined
  /** Whether a user may press keys. */
  hasKeys: boolean
  /** One raw line of the gateway's log. */
  onLogLine: (line: string) => void
  /** The environment's own output; ends with a line break. */
  say: (text: string) => void
}

/** The development environment, running. */
export interface Dev {
  /** Creates a PA or BV in the sandbox and prints its id. */
  play(this: void, what: Play): Promise<void>
  /** Starts the gateway anew, as after a change. */
  restart(this: void): void
  /** Prints the settings of this run, secrets and all. */
  tellSettings(this: void): void
  /** Stops everything. */
  close(this: void): Promise<void>
}

/** Starts sandbox, FHIR server, pharmacy and gateway; restarts the gateway whenever a source or `.env` changes. Throws `DevRefused`. */
export async function startDev(options: DevOptions): Promise<Dev> {
  const { sources, ports, speed, seed, hasKeys, onLogLine, say } = options
  const { root, folders, isCompiled } = sources
  const defaults = developmentDefaults()
  const fromFlags = {
    ...(ports.gateway !== undefined && { PORT: String(ports.gateway) }),
    ...(ports.admin !== undefined && { ADMIN_PORT: String(ports.admin) }),
  }
  const given = readGiven(root)
  const address = readGatewayAddress({ ...defaults, ...given, ...fromFlags })
  await listening(assertFree(address.host, address.port), address.port, '--port')
  await listening(assertFree(address.adminHost, address.adminPort), address.adminPort, '--admin-port')
  // A new sandbox is empty, so the ledger starts empty, too.
  const folder = join(devFolder, String(address.port))
  await rm(join(root, folder), { recursive: true, force: true })
  await mkdir(join(root, folder), { recursive: true })
  const sandbox = {
    speed,
    ...(seed !== undefined && { seed }),
    // The shortest path, easiest to read first.
    detours: noDetours,
  }
  const services = await startServices({ sandbox, ports }, given)
  const prescription = await services.fhir?.prescribe()
  const settings = { ...defaults, DATABASE_URL: `file:./${folder}/pawl.db`, ...services.settings }
  // Services started here take precedence over .env.
  const readEnvironment = () => ({ ...settings, ...readGiven(root), ...services.settings, ...fromFlags })

  const webhookUrl = `${nearestUrl(address)}/webhooks`
  services.sandbox?.controls.putWebhook({ name: 'pawl', url: webhookUrl, secret: address.secret })
  const block = blockOf(Object.keys({ ...settings, ...fromFlags }), readEnvironment(), given)
  await writeFile(join(root, devSettingsFile), block, { mode: 0o600 })
  const adminUrl = nearestUrl({ host: address.adminHost, port: address.adminPort })
  const replaced = Object.entries(services.settings).flatMap(([name, value]) =>
    (given[name] ?? value) === value ? [] : [name],
  )
  say(announce({ services, prescription, webhookUrl, adminUrl, replaced, speed, block, hasKeys }))

  const types = createTypeCheck(sources, say)
  let isEdited = false
  /** Delays the type check until the gateway has loaded the edited sources, so its start gets the processor. */
  const checkEdited = () => {
    if (isEdited) void types.start()
    isEdited = false
  }
  const gateway = createGatewayProcess({
    sources,
    readEnvironment,
    onLogLine,
    onErrorLine: (line) => say(`${line}\n`),
    onCrash: (report) => {
      const { text, isLoaded } = describeCrash(report, root)
      if (!isLoaded) isEdited = false
      say(text)
    },
    onLoaded: checkEdited,
    onEnd: (how) => {
      say(
        `${how} It restarts at the next change below ${folders.join(' or ')}, or of .env${hasKeys ? ', or with the key r' : ''}.\n`,
      )
      checkEdited()
    },
  })
  const watched = watchSources(root, { folders, files: ['.env'] }, (paths) => {
    say(`${paths.join(', ')} changed: the gateway restarts.\n`)
    if (paths.every((path) => path === '.env')) return void gateway.restart()
    if (isCompiled) return void types.start().then(gateway.restart)
    types.cancel()
    isEdited = true
    void gateway.restart()
  })
  if (isCompiled) await types.start()
  await gateway.restart()
  return {
    async play(what) {
      if (services.sandbox === undefined) return say('API_BASE_URL names another service: nothing is created there.\n')
      try {
        say(`Created ${await play(what, services.sandbox)}.\n`)
      } catch (error) {
        say(`Nothing was created: ${error instanceof Error ? error.message : 'unknown'}\n`)
      }
    },
    restart() {
      say('The gateway restarts.\n')
      void gateway.restart()
    },
    tellSettings: () => say(`${settingsOf(block)}\n`),
    async close() {
      watched.close()
      types.cancel()
      // The webhooks may fail once their receiver stops: all data is discarded anyway.
      await gateway.close()
      await services.close()
      await rm(join(root, devSettingsFile), { force: true })
    },
  }
}

/** Rejects if the port is taken. */
async function assertFree(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Settings without the gateway's timing, which other terminals do not need. */
const ownAffair: ReadonlySet<string> = new Set([
  'NODE_ENV',
  'SHUTDOWN_GRACE_MS',
  'RETRY_BASE_MS',
  'BREAKER_COOLDOWN_MS',
])

/** The given settings in force that `.env` lacks, in its format. */
function blockOf(names: readonly string[], inForce: Record<string, string>, given: Record<string, string>): string {
  return names
    .filter((name) => !ownAffair.has(name) && given[name] !== inForce[name])
    .map((name) => `${name}=${inForce[name]}\n`)
    .join('')
}
