import type { Response } from 'express'
import { showHidden } from '../show-hidden.ts'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** Answers with a rendered page, which must not be cached. */
export function sendHtml(res: Response, page: VNode, status = 200): void {
  res
    .status(status)
    .set('cache-control', 'no-store')
    .type('html')
    .send(`<!doctype html>${showHidden(renderToString(page))}`)
}
