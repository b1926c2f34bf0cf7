import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import { sendHtml } from '@pawl/base/pages/send-html'
import { pageHeaders } from '../pages/page-headers.ts'
import { PlainReference } from './plain-reference.tsx'

/** The renderer's single file: beside this file in the sandbox's own package, in the folder `reference` of a checkout, elsewhere among the project's packages. */
export function findRenderer(): string | undefined {
  const bundled = fileURLToPath(new URL('./redoc.standalone.js', import.meta.url))
  if (existsSync(bundled)) return bundled
  try {
    return createRequire(new URL('../../reference/package.json', import.meta.url)).resolve(
      'redoc/bundles/redoc.standalone.js',
    )
  } catch {
    return undefined
  }
}

/** The renderer runs without eval and contacts no other host: its own images there are refused. It styles the page with elements of its own, and searches in a worker that it creates. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** GET /docs: the OpenAPI document for people, rendered by Redoc; without Redoc, its endpoints. */
export function referenceRoutes({
  renderer,
  openApi,
}: {
  renderer: string | undefined
  openApi: () => unknown
}): Router {
  const router = Router()
  if (renderer === undefined)
    return router.get('/docs', pageHeaders, (_req, res) => sendHtml(res, <PlainReference openApi={openApi()} />))
  router.use('/docs', (_req, res, next) => {
    res.set({ 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' })
    next()
  })
  router.get('/docs', (_req, res) => {
    res.type('html').send(page)
  })
  router.get('/docs/redoc.js', (_req, res) => {
    res.type('text/javascript').sendFile(renderer, { dotfiles: 'allow' })
  })
  router.get('/docs/start.js', (_req, res) => {
    res.type('text/javascript').send(start)
  })
  return router
}

const start = `Redoc.init('/openapi.json', { hideDownloadButton: true, nativeScrollbars: true }, document.querySelector('main'))`

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference of the sandbox</title>
<link rel="icon" href="data:,">
<style>body { margin: 0; font-family: system-ui, sans-serif } noscript { display: block; padding: 1rem; line-height: 1.5 }</style>
</head>`

const page = `${head}
<body><noscript>It needs scripts; for programs there is <a href="/openapi.json">openapi.json</a>.</noscript><main></main><script src="/docs/redoc.js"></script><script src="/docs/start.js"></script></body>
</html>
`
