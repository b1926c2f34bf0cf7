import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Router } from 'express'
import { script } from './assets/script.ts'
import { style } from './assets/style.ts'

/** What browsers hold htmx against before they run it: a package that was tampered with runs nowhere. */
export const htmxIntegrity = 'sha384-2OatzQy1H+Zd/IIrjr1TcuDGqLXeHhbooAyJY1KdQMKnr4LZ22k31GBLdYKHmVjg'

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2468b4"/><circle cx="8" cy="10" r="3.2" fill="#fff"/><circle cx="3.6" cy="6" r="1.6" fill="#fff"/><circle cx="8" cy="4" r="1.6" fill="#fff"/><circle cx="12.4" cy="6" r="1.6" fill="#fff"/></svg>`

const htmxFile = join(dirname(createRequire(import.meta.url).resolve('htmx.org/package.json')), 'dist/htmx.min.js')

interface Asset {
  type: string
  body: string
}

const assets: Record<string, Asset> = {
  'style.css': { type: 'text/css', body: style },
  'console.js': { type: 'text/javascript', body: script },
  'icon.svg': { type: 'image/svg+xml', body: icon },
}

const yearSeconds = 31_536_000

/** The address of a file of the pages: it changes with the file, so that browsers may keep it. */
export function addressOfAsset(name: keyof typeof assets): string {
  const { body = '' } = assets[name] ?? {}
  return `/assets/${name}?${createHash('sha256').update(body).digest('hex').slice(0, 12)}`
}

/** The address of htmx, which its integrity names. */
export const htmxAddress = '/assets/htmx.min.js?2'

/** Serves what the pages load: all of it from here, since no page loads anything from elsewhere. */
export function createAssets(): Router {
  const served: Record<string, Asset> = {
    ...assets,
    'htmx.min.js': { type: 'text/javascript', body: readFileSync(htmxFile, 'utf8') },
  }
  const router = Router()
  router.get('/assets/:name', (req, res, next) => {
    const asset = Object.hasOwn(served, req.params.name) ? served[req.params.name] : undefined
    if (asset === undefined) next()
    else res.set('cache-control', `private, max-age=${yearSeconds}, immutable`).type(asset.type).send(asset.body)
  })
  return router
}
