import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import { snapshotName } from '../../snapshots/controls.ts'
import { queryOf } from '@pawl/base/pages/query'
import { check, readForm, text } from '../read-form.ts'
import { SnapshotsPage, snapshotsAddress } from './snapshots-page.tsx'

const SaveForm = z.object({ name: z.string().trim().pipe(snapshotName), replace: check })
const NameForm = z.object({ name: text })
/** The last action, from the query string. */
const Action = z.object({ did: z.enum(['Saved', 'Loaded', 'Removed']), name: snapshotName })

/** The page of snapshots, and its forms. */
export function snapshotRoutes({ controls }: { controls: Controls }): Router {
  const router = Router()
  const done = (did: z.infer<typeof Action>['did'], name: string) => `${snapshotsAddress}${queryOf({ did, name })}`

  router.get('/pages/snapshots', (req, res) => {
    const { data: action } = Action.safeParse(req.query)
    const text = action && `${action.did} ${action.name}.`
    sendHtml(res, <SnapshotsPage snapshots={controls.listSnapshots()} done={text} />)
  })

  router.post('/pages/snapshots', (req, res) => {
    const { name, replace } = readForm(SaveForm, req)
    controls.saveSnapshot(name, replace)
    res.redirect(303, done('Saved', name))
  })

  router.post('/pages/snapshots/load', (req, res) => {
    const { name } = readForm(NameForm, req)
    controls.loadSnapshot(name)
    res.redirect(303, done('Loaded', name))
  })

  router.post('/pages/snapshots/remove', (req, res) => {
    const { name } = readForm(NameForm, req)
    controls.removeSnapshot(name)
    res.redirect(303, done('Removed', name))
  })

  return router
}
