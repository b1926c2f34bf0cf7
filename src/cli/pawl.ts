import { Command } from 'commander'
import { z } from 'zod'
import { readAdminAddress } from '../config.ts'
import { PawlError } from '../errors.ts'
import { askAdmin } from './admin-client.ts'

const Status = z.looseObject({
  events: z.number(),
  unhandled: z.number(),
  resources: z.number(),
  due: z.number(),
  parked: z.number(),
})
const Parked = z.object({
  parked: z.array(
    z.looseObject({
      resourceId: z.string(),
      handler: z.string(),
      attempts: z.number(),
      errorCode: z.string(),
      errorMessage: z.string(),
    }),
  ),
})
const Released = z.object({ released: z.array(z.string()) })

const print = (line: string) => process.stdout.write(`${line}\n`)
const ask = <T extends z.ZodType>(path: string, schema: T, body?: unknown) =>
  askAdmin(readAdminAddress(process.env), path, schema, body)

const program = new Command('pawl')
  .description('Looks after a running pawl through its admin listener (ADMIN_HOST, ADMIN_PORT, ADMIN_PASSWORD).')
  .showHelpAfterError()

program
  .command('status')
  .description('how many events, resources, due and parked there are')
  .action(async () => {
    const counts = await ask('/readyz', Status)
    for (const name of ['events', 'unhandled', 'resources', 'due', 'parked'] as const) {
      print(`${name.padEnd(10)} ${counts[name]}`)
    }
  })

program
  .command('parked')
  .description('list parked work with its errors')
  .action(async () => {
    const { parked } = await ask('/api/parked', Parked)
    if (parked.length === 0) print('Nothing is parked.')
    for (const { resourceId, handler, attempts, errorCode, errorMessage } of parked) {
      print(`${resourceId}  ${handler}  after ${attempts} attempts  ${errorCode}: ${errorMessage}`)
    }
  })

program
  .command('release')
  .description('make parked work due again, of one resource, of one handler, or all of it')
  .option('--resource <id>', 'only of this resource')
  .option('--handler <name>', 'only of this handler')
  .option('--all', 'all parked work')
  .action(
    async ({ resource, handler, all }: { resource?: string; handler?: string; all?: boolean }, command: Command) => {
      if (resource === undefined && handler === undefined && all !== true) {
        command.error('Say which: --resource, --handler, or --all.')
      }
      const filter = { ...(resource && { resource_id: resource }), ...(handler && { handler }) }
      const { released } = await ask('/api/parked/release', Released, filter)
      print(`Released ${released.length} resources.`)
    },
  )

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof PawlError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
