import { type RequestHandler, type Response, Router } from 'express'
import { readActor } from './actor.ts'
import { contract } from './contract/contract.ts'
import { MessagePage } from './pages/message.tsx'
import { DraftPage, StartPage } from './pages/start.tsx'
import { addressOfResource } from './pages/words.ts'
import { sendPage } from './render.tsx'
import { invalid, RequestRefused } from './serve.ts'
import type { Starting } from './starting.ts'

interface StartPagesDeps {
  starting: Starting
  /** Parses the forms of these pages. */
  requireOwnForm: RequestHandler
}

/** Start of the names of fields that fill gaps. */
const prefix = 'given.'

/** Pages that draft a request from a chart's prescription, ask for its gaps, and send it. */
export function createStartPages({ starting, requireOwnForm }: StartPagesDeps): Router {
  const router = Router()
  router.get('/start', (_req, res) => sendPage(res, <StartPage />))

  /** The fields of a form, those of `given.…` together. */
  function readForm(body: unknown): unknown {
    // A parsed form; requireOwnForm checked that it exists.
    const { token: _, ...form } = body as Record<string, unknown>
    const given = Object.entries(form).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    )
    const others = Object.entries(form).filter(([name]) => !name.startsWith(prefix))
    return { ...Object.fromEntries(others), given: Object.fromEntries(given) }
  }

  /** Answers by `act`, or says why nothing was sent. */
  async function answer(res: Response, act: () => Promise<void>): Promise<void> {
    res.set('cache-control', 'no-store')
    try {
      await act()
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error
      sendPage(res, <MessagePage title="Nothing was sent" at="/start" message={error.message} />, error.status)
    }
  }

  router.post('/start', requireOwnForm, (req, res) =>
    answer(res, async () => {
      const asked = contract.draftRequest.body.safeParse(readForm(req.body)).data
      if (asked === undefined) throw invalid(contract.draftRequest)
      sendPage(res, <DraftPage asked={asked} shown={await starting.draft(asked, readActor(req))} />)
    }),
  )
  router.post('/start/send', requireOwnForm, (req, res) =>
    answer(res, async () => {
      const asked = contract.startRequest.body.safeParse(readForm(req.body)).data
      if (asked === undefined) throw invalid(contract.startRequest)
      res.redirect(303, addressOfResource(await starting.start(asked, readActor(req))))
    }),
  )
  return router
}
