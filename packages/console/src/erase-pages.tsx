import { type RequestHandler, Router } from 'express'
import { readActor } from './actor.ts'
import { contract } from './contract/contract.ts'
import { reasonLength } from './contract/reason.ts'
import type { Erasing } from './erasure.ts'
import { createErasureJobs } from './erasure-jobs.ts'
import { EraseJobPage, ErasePage } from './pages/erase.tsx'
import { MessagePage } from './pages/message.tsx'
import { sendPage } from './render.tsx'

export interface ErasePagesDeps {
  erasing: Erasing
  /** Parses the forms of these pages. */
  requireOwnForm: RequestHandler
}

/** Pages that look for a patient's data in the ledger, and erase it then. The number travels in a body, and is shown on no page. */
export function createErasePages({ erasing, requireOwnForm }: ErasePagesDeps): Router {
  const jobs = createErasureJobs()
  const router = Router()
  router.use('/erase', (_req, res, next) => {
    res.set('cache-control', 'no-store')
    next()
  })
  router.get('/erase', (_req, res) => sendPage(res, <ErasePage />))
  router.post('/erase', requireOwnForm, (req, res) => {
    // A parsed form; requireOwnForm checked that it exists.
    const { internal_id, reason } = req.body as Record<string, unknown>
    const form = contract.findPatient.body.safeParse({ internal_id, reason })
    if (!form.success) {
      const message = `Type the patient's number, and why in ${reasonLength}.`
      sendPage(res, <MessagePage title="Nothing was erased" at="/erase" message={message} />, 400)
      return
    }
    const job = jobs.start(erasing(form.data.internal_id, { actor: readActor(req), reason: form.data.reason }))
    res.redirect(303, `/erase/jobs/${job.id}`)
  })
  router.get('/erase/jobs/:id', (req, res) => {
    const job = jobs.find(req.params.id)
    if (job !== undefined) return sendPage(res, <EraseJobPage job={job} />)
    const message = 'This process knows no such erasure: it was restarted, or another process has it. Look again.'
    sendPage(res, <MessagePage title="Not known" at="/erase" message={message} />, 404)
  })
  router.post('/erase/jobs/:id', requireOwnForm, (req, res) => {
    // A parameter of the path is one string.
    const id = String(req.params.id)
    // As above.
    if ((req.body as Record<string, unknown>).do === 'look') jobs.look(id)
    else jobs.erase(id)
    res.redirect(303, `/erase/jobs/${encodeURIComponent(id)}`)
  })
  return router
}
