import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Router } from 'express'
import { HelpPage, RunbookPage } from './pages/help.tsx'
import { sendPage } from './render.tsx'

/** The runbook that comes with the package. */
const runbookFile = join(dirname(createRequire(import.meta.url).resolve('#package.json')), 'docs/runbook.md')

/** Pages that say what to do: the runbook, and the keys. */
export function createHelpPages(): Router {
  const router = Router()
  router.get('/runbook', async (_req, res) => {
    const text = await readFile(runbookFile, 'utf8').catch(() => undefined)
    sendPage(res, <RunbookPage text={text} />)
  })
  router.get('/help', (_req, res) => sendPage(res, <HelpPage />))
  return router
}
