import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Response, Router } from 'express'
import { z } from 'zod'
import { ownPackage } from '@pawl/base/own-package'
import type { MenuAddress } from './pages/console-layout.tsx'
import { DocumentPage, HelpPage } from './pages/help.tsx'
import { MessagePage } from './pages/message.tsx'
import { sendPage } from './render.tsx'

/** The documents that come with the package. */
const folder = join(ownPackage().folder, 'docs')

const Name = z.string().regex(/^[a-z0-9-]+$/)

/** Pages of the runbook, of the documents that it links to, and of the keys. */
export function createHelpPages(): Router {
  const router = Router()
  async function sendDocument(res: Response, name: string | undefined, at: MenuAddress): Promise<void> {
    const text = name && (await readFile(join(folder, `${name}.md`), 'utf8').catch(() => undefined))
    if (text) return sendPage(res, <DocumentPage text={text} at={at} />)
    const message =
      'This installation has no such document. The documents are in the folder docs of the package of pawl.'
    sendPage(res, <MessagePage title="No such document" at={at} message={message} />, 404)
  }
  router.get('/runbook', (_req, res) => sendDocument(res, 'runbook', '/runbook'))
  router.get('/docs/:name', (req, res) => sendDocument(res, Name.safeParse(req.params.name).data, '/help'))
  router.get('/help', (_req, res) => sendPage(res, <HelpPage />))
  return router
}
