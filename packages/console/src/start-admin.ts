import type { Closers } from '@pawl/base/closers'
import { startServer } from '@pawl/base/net/server'
import { readOpenFilesLimit, sayOpenFiles, shareOpenFiles } from '@pawl/base/open-files'
import { createSampledLog } from '@pawl/base/sampled-log'
import { type AdminDeps, createAdmin } from './admin.ts'

/** Starts the admin listener with its share of open files; resolves with its address. Throws `ListenFailed`. */
export async function startAdmin(
  deps: AdminDeps,
  { address, closers }: { address: { host: string; port: number }; closers: Closers },
): Promise<string> {
  const admin = createAdmin(deps)
  const openFiles = readOpenFilesLimit()
  const sampledLog = createSampledLog({ log: deps.log })
  closers.add(sampledLog.close)
  const server = await startServer((req, res) => void admin(req, res), address, 'ADMIN_', {
    ...(openFiles !== undefined && {
      total: {
        max: shareOpenFiles(openFiles).admin,
        onRefused: () =>
          sampledLog.warn(
            { component: 'admin', reason: 'too_many_open_files' },
            `connection refused: ${sayOpenFiles(openFiles)}`,
          ),
      },
    }),
  })
  closers.addFront((graceMs) => server.close(graceMs))
  return server.url
}
