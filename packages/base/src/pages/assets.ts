import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import { liveScript } from './live-script.ts'
import { pageScript } from './page-script.ts'

/** The integrity that browsers check before they run htmx, so that a tampered package does not run. */
const htmxIntegrity = 'sha384-2OatzQy1H+Zd/IIrjr1TcuDGqLXeHhbooAyJY1KdQMKnr4LZ22k31GBLdYKHmVjg'

/** Beside this file where a package bundles both. */
const bundledHtmx = fileURLToPath(new URL('./htmx.min.js', import.meta.url))
const htmxFile = existsSync(bundledHtmx)
  ? bundledHtmx
  : createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js')

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2468b4"/><circle cx="8" cy="10" r="3.2" fill="#fff"/><circle cx="3.6" cy="6" r="1.6" fill="#fff"/><circle cx="8" cy="4" r="1.6" fill="#fff"/><circle cx="12.4" cy="6" r="1.6" fill="#fff"/></svg>`

const yearSeconds = 31_536_000

/** The assets of all pages; pages load nothing from elsewhere. */
export interface Assets {
  style: string
  script: string
  icon: string
  htmx: { address: string; integrity: string }
  /** Serves the assets below a path of the router that mounts it. */
  createRoutes(path: string): Router
}

/** Makes the assets of a site below `at`. A URL changes with its file, so that browsers may cache it. */
export function createAssets({ at, style, script = '' }: { at: string; style: string; script?: string }): Assets {
  const files: Record<string, { type: string; body: string }> = {
    'style.css': { type: 'text/css', body: style },
    'script.js': { type: 'text/javascript', body: pageScript + liveScript + script },
    'icon.svg': { type: 'image/svg+xml', body: icon },
  }
  const addressOf = (name: string) => {
    const { body = '' } = files[name] ?? {}
    return `${at}/${name}?${createHash('sha256').update(body).digest('hex').slice(0, 12)}`
  }
  return {
    style: addressOf('style.css'),
    script: addressOf('script.js'),
    icon: addressOf('icon.svg'),
    htmx: { address: `${at}/htmx.min.js?2`, integrity: htmxIntegrity },
    createRoutes: (path) => {
      const served = { ...files, 'htmx.min.js': { type: 'text/javascript', body: readFileSync(htmxFile, 'utf8') } }
      const router = Router()
      router.get(`${path}/:name`, (req, res, next) => {
        const asset = Object.entries(served).find(([name]) => name === req.params.name)?.[1]
        if (asset === undefined) next()
        else res.set('cache-control', `private, max-age=${yearSeconds}, immutable`).type(asset.type).send(asset.body)
      })
      return router
    },
  }
}
