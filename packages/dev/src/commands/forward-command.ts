import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { showHidden } from '@pawl/base/show-hidden'
import { ConfigInvalid } from '@pawl/base/errors'
import { isThisMachine } from '@pawl/base/net/public-address'
import { readAdminAddress, readDeliveryTarget } from '../../../../src/settings/read-for-commands.ts'
import { readActorName } from '../../../../src/cli/actor-name.ts'
import { createAdminClient } from '@pawl/console/commands/admin-client'
import { forwardEvents } from './forward-events.ts'
import type { Print } from '@pawl/console/commands/output'
import { postDelivery } from './post-delivery.ts'
import { readUrl } from './send-command.ts'

const help = `
Reads events of the gateway at --from through its admin listener, with ADMIN_USER and ADMIN_PASSWORD, which need the right to view. For each it sends a hint to --to, signed with the newest of WEBHOOK_SECRETS: event type and resource id, nothing else. The gateway at --to reads the resource with its own API_TOKEN, which must be of the same organization.

It begins with new events; after a restart it continues from the --cursor file. It waits while either side is away, and ends with Ctrl+C.

Exits with 0 (with --once, when all is forwarded); 1 when --from does not answer at the start or --to refuses; 2 for wrong options or settings.`

interface Options {
  from: string
  to?: string
  allowRemote?: boolean
  once?: boolean
  cursor: string
  json?: boolean
}

/** Adds `forward`, which sends hints of another gateway's events to one in development. */
export function addForwardCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('forward')
    .description("send hints of another gateway's events to this one, to develop against staging")
    .requiredOption('--from <url>', 'admin listener of the other gateway', readUrl)
    .option('--to <url>', 'where to (default: POST /webhooks of this pawl)', readUrl)
    .option('--allow-remote', 'let --to be another machine')
    .option('--once', 'end when all events are forwarded')
    .option('--cursor <file>', 'keeps the last forwarded event', 'data/forward.json')
    .option('--json', 'as one JSON object a line')
    .addHelpText('after', help)
    .action(async ({ from, to, allowRemote = false, once = false, cursor, json = false }: Options) => {
      const { url: here, secret } = readDeliveryTarget(process.env)
      if (secret === undefined) throw new ConfigInvalid('Set WEBHOOK_SECRETS: its newest secret signs the hint.')
      const url = to ?? here
      if (!allowRemote && !isThisMachine(new URL(url).hostname))
        throw new ConfigInvalid(`${url} is on another machine: pass --allow-remote if hints may go there.`)
      const { user, password } = readAdminAddress(process.env)
      await forwardEvents(
        {
          callAdmin: createAdminClient(() => ({ url: from, user, password }), readActorName()),
          deliver: (body) =>
            postDelivery(url, body, { secret, redirect: 'manual', signal: AbortSignal.timeout(30_000) }),
          cursor: createCursor(resolve(cursor), from),
          onForwarded({ id, type, resourceId }, status) {
            print(json ? JSON.stringify({ id, type, resourceId, status }) : `${status}  ${type}  ${resourceId}`)
          },
          note: (text) => void process.stderr.write(`${showHidden(text)}\n`),
        },
        { once },
      )
    })
}

const Kept = z.object({ from: z.string(), after: z.number().int().min(0) })

/** A cursor in a file, for one address. */
function createCursor(path: string, from: string) {
  return {
    async read(): Promise<number | undefined> {
      const text = await readFile(path, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      try {
        const kept = Kept.parse(JSON.parse(text))
        return kept.from === from ? kept.after : undefined
      } catch {
        throw new ConfigInvalid(`${path} holds no cursor: remove it, or pass another --cursor.`)
      }
    },
    async write(after: number): Promise<void> {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(`${path}.new`, JSON.stringify({ from, after }))
      await rename(`${path}.new`, path)
    },
  }
}
