import type { Response } from 'express'
import type { VNode } from 'preact'
import { sendHtml } from '@pawl/base/pages/send-html'
import { ViewerContext } from './pages/viewer.tsx'

/** Responds with a page, rendered for the viewer. */
export function sendPage(res: Response, page: VNode, status = 200): void {
  const { person, formToken = '', sessionEndsAt } = res.req.access ?? {}
  const viewer = {
    name: person?.method === undefined ? undefined : person.name,
    rights: person?.rights ?? new Set<never>(),
    formToken,
    hasSession: sessionEndsAt !== undefined,
  }
  sendHtml(res, <ViewerContext.Provider value={viewer}>{page}</ViewerContext.Provider>, status)
}
