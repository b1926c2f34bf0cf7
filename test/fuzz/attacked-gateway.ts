import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineHandler } from '#pawl'
import type { Api } from '../../packages/client/src/api/client.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { mustBeAlive, watchFiles, watchPrototypes } from './aftermath.ts'

export const eventTypes = ['prior_authorization.status_change', 'benefit_verification.status_change'] as const

/** A gateway in this process that is attacked. */
export interface AttackedGateway {
  gateway: LocalGateway
  log: LogCapture
  /** Throws unless it still answers, and the process is as before. */
  mustBeUnharmed(): Promise<void>
  /** Throws for a file that nothing should write. */
  checkFiles(): Promise<void>
  close(): Promise<void>
}

/** Starts it with one handler, and its ledger two folders deep, so that a path that leads out of them is seen. */
export async function startAttackedGateway(env: Record<string, string>, api?: Api): Promise<AttackedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-fuzz-'))
  const home = join(folder, 'one', 'two')
  await mkdir(home, { recursive: true })
  const log = captureLog('info')
  const handler = defineHandler({ name: 'follows', on: [...eventTypes], handle: async () => {} })
  const gateway = await startLocalGateway(
    { handlers: [handler], log: log.log, ...(api && { api }) },
    { DATABASE_URL: `file:${join(home, 'pawl.db')}`, ...env },
  )
  const checkPrototypes = watchPrototypes()
  return {
    gateway,
    log,
    async mustBeUnharmed() {
      await mustBeAlive(`${gateway.url}/healthz`)
      checkPrototypes()
    },
    checkFiles: await watchFiles(folder, /^one(\/two(\/pawl\.db[\w.-]*)?)?$/),
    async close() {
      await gateway.close()
      await rm(folder, { recursive: true })
    },
  }
}
