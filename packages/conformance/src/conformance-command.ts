import { randomInt } from 'node:crypto'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Command, Option } from 'commander'
import { ConfigInvalid } from '@pawl/base/errors'
import { builtIntegration, findIntegration } from '@pawl/base/integration-file'
import { ownPackage } from '@pawl/base/own-package'
import type { Print } from '@pawl/console/commands/output'
import { readNumber } from '@pawl/console/commands/read-number'

const help = `
Runs the integration of this project or checkout in processes of its own against a local copy of the service, a FHIR R4 server and a pharmacy, with faults of every kind. docs/conformance.md explains each rule.

Exits with 0 when every rule holds; 1 when one fails; 2 when the arguments are wrong, or the machine was too busy to tell; 130 when it was interrupted.`

const folder = 'data/conformance'

interface Options {
  seed?: number
  minutes?: number
  profile: 'quick' | 'full'
  only?: string
  junit?: string
  replay?: string
}

/** Adds `conformance`, which tests the integration under faults. It needs the development dependencies. */
export function addConformanceCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('conformance')
    .description('test the integration against the sandbox under duplicates, losses, failures, restarts and kills')
    .option('--seed <number>', 'generate the same steps again', readNumber())
    .option('--minutes <number>', 'how long to run', readNumber())
    .addOption(new Option('--profile <name>', 'how thorough').choices(['quick', 'full']).default('quick'))
    .option('--only <rule>', 'check this rule only')
    .option('--junit <file>', 'also write the result as JUnit XML')
    .option('--replay <file>', 'repeat the steps of a saved run')
    .addHelpText('after', help)
    .action((options: Options) => runCommand(options, print))
}

async function runCommand(options: Options, print: Print): Promise<void> {
  const {
    createPawlHost,
    formatJunit,
    formatReport,
    integrationUrl,
    readRun,
    replay,
    ruleTitles,
    runConformance,
    saveRun,
    withoutPatientData,
  } = await load()
  const { only, profile, minutes, seed = randomInt(1_000_000) } = options
  if (only !== undefined && !ruleTitles.has(only))
    throw new ConfigInvalid(`--only takes one of ${[...ruleTitles.keys()].join(', ')}.`)
  const saved = options.replay === undefined ? undefined : await readRun(options.replay)
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())
  const { signal } = interrupted
  const host = createPawlHost({ integrationUrl, environment: process.env })
  try {
    if (saved !== undefined) {
      const isFailing = await replay(saved, { host, seed: saved.seed, env: {}, signal }, (line) =>
        print(withoutPatientData(line)),
      )
      process.exitCode = isFailing ? 1 : 0
      return
    }
    const tell = (line: string) => print(withoutPatientData(line))
    print(`Profile ${profile}, seed ${seed}.`)
    print('Chart and pharmacy belong to this run; any other system is the one your settings name.')
    const startedAt = Date.now()
    const result = await runConformance({ deps: { host, seed, env: {}, signal }, profile, minutes, only, print: tell })
    const { failure } = result
    if (await isEditedSince(startedAt))
      print(
        'The integration was edited during the run: its processes may have loaded different versions. Run it again.',
      )
    const savedAt = failure === undefined ? undefined : await save(failure)
    print('')
    for (const line of formatReport(result, { savedAt })) print(line)
    if (options.junit !== undefined) await writeFile(options.junit, formatJunit(result))
    process.exitCode = failure !== undefined ? 1 : result.missing > 0 ? 2 : 0
  } catch (error) {
    if (!signal.aborted) throw error
    print('Interrupted: this run shows nothing.')
    process.exitCode = 130
  } finally {
    await host.close()
  }

  function save({ rule, seed, steps, before }: NonNullable<Awaited<ReturnType<typeof runConformance>>['failure']>) {
    return saveRun(folder, { rule, seed, steps, ...(before && { before }) })
  }
}

/** Whether any handler file was saved after this time. */
async function isEditedSince(since: number): Promise<boolean> {
  for (const folder of integrationFolders())
    for (const name of await readdir(folder, { recursive: true }))
      if (/\.[jt]s$/.test(name) && (await stat(join(folder, name))).mtimeMs > since) return true
  return false
}

const needsPackages =
  'The conformance run needs packages of development that are not installed: npm ci in a checkout, npm install --save-dev fast-check @medplum/core @medplum/fhir-router in a project.'

/** The folders of what the run loads: in a project what the compiler wrote, in a checkout the sources. */
function integrationFolders(): string[] {
  const built = findIntegration()
  const { folder } = ownPackage()
  return built === undefined ? [join(folder, 'src/integration'), join(folder, 'templates')] : [dirname(built)]
}

async function load() {
  try {
    const [parts, runs, reports, junits, replays, saves, judging] = await Promise.all([
      import('./pawl-host.ts'),
      import('./run-conformance.ts'),
      import('./conformance-report.ts'),
      import('./junit.ts'),
      import('./replay.ts'),
      import('./saved-run.ts'),
      import('./judge-steps.ts'),
    ])
    const path = builtIntegration() ?? join(ownPackage().folder, 'src/integration/index.ts')
    const integrationUrl = pathToFileURL(path).href
    return { ...parts, ...runs, ...reports, ...junits, ...replays, ...saves, ...judging, integrationUrl }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new ConfigInvalid(needsPackages, { cause: error })
  }
}
