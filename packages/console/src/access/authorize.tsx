import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Right } from '@pawl/base/roles'
import { readActor } from '../actor.ts'
import { MessagePage } from '../pages/message.tsx'
import { ReturnPage } from '../pages/return.tsx'
import { sendPage } from '../render.tsx'
import type { GroupedNotes } from '@pawl/ledger/audit/grouped-notes'
import { sayWait } from '@pawl/base/net/login-limits'
import { ownPath } from './own-path.ts'
import { routeRules } from './route-rules.ts'

/** Meaning of each right, for refusals. */
const meanings: Record<Right, string> = {
  view: 'read anything here',
  operate: 'change work',
  privacy: 'read the audit trail or erase patients',
  reveal: 'open stored snapshots',
  start: 'start requests from the chart',
}

/** Allows a request if `routeRules` lists its route and the person has the right. All matching rules must allow it. Records refusals of authenticated people. */
export function createAuthorize({ refusedAccess }: Pick<GroupedNotes, 'refusedAccess'>): Router {
  const router = Router()
  /** Requests that a rule allowed. */
  const allowed = new WeakSet<Request>()
  for (const { method, path, needs } of routeRules) {
    const require: RequestHandler = async (req, res, next) => {
      const person = req.access?.person
      if (needs === 'nothing' || person?.rights.has(needs)) {
        allowed.add(req)
        return next()
      }
      if (person === undefined) return requireLogin(req, res)
      const route = `${method.toUpperCase()} ${path}`
      await refusedAccess({ actor: readActor(req), details: { route, needs } })
      refuse(req, res, needs)
    }
    router[method](path, require)
  }
  router.use((req, res, next) => {
    // Express answers HEAD by GET, which would record a view that showed nothing.
    if (allowed.has(req) && req.method === 'HEAD' && !takesHead.has(req.path)) return refuseHead(res)
    if (allowed.has(req)) return next()
    if (req.access?.person === undefined) return requireLogin(req, res)
    refuseUnknown(req, res)
  })
  return router
}

/** 404 for a path that is not here, as a page or as JSON. */
export function refuseUnknown(req: Request, res: Response): void {
  const message = 'The admin listener has /readyz, /metrics, /api/ and pages for people from / on.'
  if (isForPeople(req)) {
    const advice = 'There is no page of this address. Choose one from the menu.'
    sendPage(res, <MessagePage title="Not found" message={advice} />, 404)
  } else res.status(404).json({ error: { code: 'not_found', message } })
}

/** Paths for probes; they record nothing. */
const takesHead = new Set(['/readyz', '/metrics', '/login'])

function refuseHead(res: Response): void {
  const message = 'HEAD is for /readyz, /metrics and /login: send GET.'
  res
    .status(405)
    .set('allow', 'GET')
    .json({ error: { code: 'method_not_allowed', message } })
}

/** True for pages; all other paths are for programs. */
function isForPeople(req: Request): boolean {
  return !/^\/(api|readyz|metrics|live)(\/|$)/i.test(req.path) && req.accepts(['json', 'html']) === 'html'
}

function requireLogin(req: Request, res: Response): void {
  const { refused } = req.access ?? {}
  if (typeof refused === 'object') {
    res.status(429).set('retry-after', String(refused.retryAfterSeconds))
    res.json({ error: { code: 'too_many_requests', message: sayWait(refused.retryAfterSeconds) } })
  } else if (isForPeople(req) && req.method === 'GET') {
    // After a link from another site, the browser withholds the cookie until a page of this site sends the request.
    const to = ownPath(req.originalUrl)
    if (req.get('sec-fetch-site') === 'cross-site') sendPage(res, <ReturnPage to={to} />)
    else res.redirect(303, `/login${to === '/' ? '' : `?to=${encodeURIComponent(to)}`}`)
  } else if (isForPeople(req)) {
    const message = 'Your session has ended: log in, open the page again, then send the form.'
    sendPage(res, <MessagePage title="Not logged in" message={message} />, 401)
  } else {
    // Browsers would show their own password prompt; the pages have a form.
    if (req.get('sec-fetch-mode') === undefined) res.set('www-authenticate', 'Basic realm="pawl"')
    const message =
      'Send a name and a password (HTTP Basic): those of ADMIN_USERS, or any name with ADMIN_PASSWORD; people log in at /login.'
    res.status(401).json({ error: { code: 'unauthorized', message } })
  }
}

function refuse(req: Request, res: Response, needs: Right): void {
  const name = req.access?.person?.name ?? ''
  const message = `${name} may not ${meanings[needs]}: that needs the right ${needs}.`
  if (isForPeople(req)) sendPage(res, <MessagePage title="Not allowed" message={message} />, 403)
  else res.status(403).json({ error: { code: 'forbidden', message } })
}
