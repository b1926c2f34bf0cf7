import { Router } from 'express'
import { contract } from './contract/contract.ts'
import { DraftPage, StartPage } from './pages/start.tsx'
import { addressOfResource } from './pages/words.ts'
import { sendPage } from './render.tsx'
import { invalid } from './serve.ts'
import { type SentForm, serveForm } from './serve-form.tsx'
import type { Starting } from './starting.ts'

/** Start of the names of fields that fill gaps. */
const prefix = 'given.'

/** Pages that draft a request from a chart's prescription, ask for its gaps, and send it. */
export function createStartPages({ starting }: { starting: Starting }): Router {
  const router = Router()
  router.use('/start', (req, res, next) => {
    if (req.method === 'POST') res.set('cache-control', 'no-store')
    next()
  })
  router.get('/start', (_req, res) => sendPage(res, <StartPage />))
  const page = { at: '/start', refused: 'Nothing was sent' } as const
  serveForm(router, '/start', page, async ({ fields, actor }) => {
    const asked = contract.draftRequest.body.safeParse(bodyOf(fields)).data
    if (asked === undefined) throw invalid(contract.draftRequest)
    return <DraftPage asked={asked} shown={await starting.draft(asked, actor)} />
  })
  serveForm(router, '/start/send', page, async ({ fields, actor }) => {
    const asked = contract.startRequest.body.safeParse(bodyOf(fields)).data
    if (asked === undefined) throw invalid(contract.startRequest)
    return addressOfResource(await starting.start(asked, actor))
  })
  return router
}

/** The body of the API route, with the `given.…` fields as one object. */
function bodyOf(fields: SentForm['fields']): object {
  const isGiven = ([name]: [string, unknown]) => name.startsWith(prefix)
  const given = Object.entries(fields).filter(isGiven)
  const others = Object.entries(fields).filter((field) => !isGiven(field))
  return {
    ...Object.fromEntries(others),
    given: Object.fromEntries(given.map(([name, value]) => [name.slice(prefix.length), value])),
  }
}
