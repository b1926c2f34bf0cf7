import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { startSandbox } from './play.ts'
import { createAsyncApi } from '../src/documents/asyncapi.ts'
import { createOpenApi } from '../src/documents/sandbox-openapi.ts'
import { referencePage } from '../src/documents/reference-page.ts'
import { lifeCycles } from '../src/documents/life-cycles.ts'
import { documentedErrors } from '../../client/src/schemas/documented-errors.ts'
import { operations } from '../src/platform/operations.ts'
import { eventTypes } from '../src/webhooks/settings.ts'

describe('the reference page', () => {
  it('is served without a token, and lets nothing run or load but its own script', async () => {
    const { sandbox } = await startSandbox()
    await request(sandbox.app).get('/').expect(302).expect('location', '/docs')
    const { text, headers } = await request(sandbox.app).get('/docs').expect(200)
    expect(headers['content-type']).toContain('text/html')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script src="/docs/reference.js" defer>'])
    const inSvg = /url\(#life-[a-z-]+-tip\)/g
    expect(text.replaceAll(inSvg, '')).not.toMatch(
      /<link|<img|@import|url\(|\s(on[a-z]+|style)=|https?:\/\/(?!files\.sandbox|app\.sandbox)/,
    )
    const { headers: ofScript } = await request(sandbox.app).get('/docs/reference.js').expect(200)
    expect(ofScript).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    for (const { route } of operations) expect(text).toContain(`<code>${route}</code>`)
    for (const type of eventTypes) expect(text).toContain(`<code>${type}</code>`)
  })

  it('escapes all content of the documents', () => {
    const evil = `<script>alert('x')</script>"onmouseover="alert(1)`
    const poison = (value: unknown): unknown => {
      if (typeof value === 'string') return value.startsWith('#/') ? value : `${value}${evil}`
      if (Array.isArray(value)) return value.map(poison)
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poison(inner)]))
      return value
    }
    const page = referencePage(poison(createOpenApi()), poison(createAsyncApi()))
    expect(page).toContain('&lt;script&gt;')
    expect(page).not.toMatch(/<script>|"onmouseover/)
  })

  it('leads every link to a place of its own', async () => {
    const { sandbox } = await startSandbox()
    const { text } = await request(sandbox.app).get('/docs').expect(200)
    const places = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((link) => !places.has(link))).toEqual([])
    expect(links.length).toBeGreaterThan(50)
  })

  it('tells of each error what to do, and of each status what it means', async () => {
    const { sandbox } = await startSandbox()
    const { text } = await request(sandbox.app).get('/docs').expect(200)
    for (const code of Object.keys(documentedErrors)) expect(text).toContain(`id="error-${code}"`)
    for (const { id, rows, meanings } of lifeCycles) {
      for (const state of Object.keys(meanings)) expect(text).toContain(`id="${id}.${state}"`)
      const moved = new Set(rows.flatMap(({ from, to }) => [from, to]))
      expect(moved).toEqual(new Set(Object.keys(meanings)))
    }
  })
})
