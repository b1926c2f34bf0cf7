import { Router } from 'express'
import { contract } from './contract/contract.ts'
import { reasonLength } from './contract/reason.ts'
import type { Erasing } from './erasure.ts'
import { createErasureJobs } from './erasure-jobs.ts'
import { EraseJobPage, ErasePage } from './pages/erase.tsx'
import { MessagePage } from './pages/message.tsx'
import { sendPage } from './render.tsx'
import { refusal } from './serve.ts'
import { serveForm } from './serve-form.tsx'

/** Pages that find a patient's data in the ledger and erase it. The patient's number travels in a body; no page shows it. */
export function createErasePages({ erasing }: { erasing: Erasing }): Router {
  const jobs = createErasureJobs()
  const router = Router()
  router.use('/erase', (_req, res, next) => {
    res.set('cache-control', 'no-store')
    next()
  })
  router.get('/erase', (_req, res) => sendPage(res, <ErasePage />))
  const page = { at: '/erase', refused: 'Nothing was erased' } as const
  serveForm(router, '/erase', page, async ({ fields: { internal_id, reason }, actor }) => {
    const form = contract.findPatient.body.safeParse({ internal_id, reason }).data
    if (form === undefined) throw refusal('no_reason', `Type the patient's number, and a reason of ${reasonLength}.`)
    const job = jobs.start(erasing(form.internal_id, { actor, reason: form.reason }))
    return `/erase/jobs/${job.id}`
  })
  router.get('/erase/jobs/:id', (req, res) => {
    const job = jobs.find(req.params.id)
    if (job !== undefined) return sendPage(res, <EraseJobPage job={job} />)
    const message = 'This process does not know that erasure: it restarted, or another process runs it. Look again.'
    sendPage(res, <MessagePage title="Not known" at="/erase" message={message} />, 404)
  })
  serveForm(router, '/erase/jobs/:id', page, async ({ id, fields }) => {
    if (fields.do === 'look') jobs.look(id)
    else jobs.erase(id)
    return `/erase/jobs/${encodeURIComponent(id)}`
  })
  return router
}
