import { chromium } from 'playwright-core'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { startSandbox } from './play.ts'
import { createAsyncApi } from '../../src/sandbox/documents/asyncapi.ts'
import { createOpenApi } from '../../src/sandbox/documents/openapi.ts'
import { referencePage } from '../../src/sandbox/documents/reference-page.ts'
import { operations } from '../../src/sandbox/platform/operations.ts'
import { eventTypes } from '../../src/sandbox/webhooks/settings.ts'

const browser = needs('chromium')

describe('the reference page', () => {
  it('is served without a token, and lets nothing run or load', async () => {
    const { sandbox } = await startSandbox()
    await request(sandbox.app).get('/').expect(302).expect('location', '/docs')
    const { text, headers } = await request(sandbox.app).get('/docs').expect(200)
    expect(headers['content-type']).toContain('text/html')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(text).not.toMatch(/<script|<link|<img|@import|url\(|\son[a-z]+=|https?:\/\/(?!files\.sandbox|app\.sandbox)/)
    for (const { route } of operations) expect(text).toContain(`<code>${route}</code>`)
    for (const type of eventTypes) expect(text).toContain(`<code>${type}</code>`)
  })

  it('escapes whatever the documents hold', () => {
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
    expect(page).not.toMatch(/<script|"onmouseover/)
  })

  it('leads every link to a place of its own', async () => {
    const { sandbox } = await startSandbox()
    const { text } = await request(sandbox.app).get('/docs').expect(200)
    const places = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((link) => !places.has(link))).toEqual([])
    expect(links.length).toBeGreaterThan(50)
  })

  it.skipIf(browser === undefined)('can be read in a browser without scripts, on a desk and on a phone', async () => {
    const { sandbox } = await startSandbox()
    const { url } = await sandbox.listen()
    const chrome = await chromium.launch({ executablePath: browser ?? '', args: ['--no-sandbox'] })
    try {
      const context = await chrome.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
      const page = await context.newPage()
      const complaints: string[] = []
      const asked: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('request', (one) => asked.push(new URL(one.url()).pathname))
      await page.goto(`${url}/docs`)
      await page.getByRole('link', { name: 'POST /benefit-verification', exact: true }).click()
      const article = page.locator('article:target')
      expect(await article.getByRole('heading', { level: 3 }).textContent()).toBe('POST /benefit-verification')
      await article.getByText('two_drugs').click()
      expect(await article.getByText('"first_name": "Testa"').isVisible()).toBe(true)
      await article.getByText('429').click()
      expect(await article.getByText('"code": "rate_limit_exceeded"', { exact: false }).isVisible()).toBe(false)
      await article.getByText('rate_limit_exceeded', { exact: true }).first().click()
      expect(await article.getByText('"code": "rate_limit_exceeded"', { exact: false }).isVisible()).toBe(true)
      const wide = await page.locator('nav').boundingBox()
      await page.setViewportSize({ width: 390, height: 800 })
      const narrow = await page.locator('nav').boundingBox()
      // The style holds: the contents stand beside the text, or above it where there is no room.
      expect(wide?.width).toBe(320)
      expect(narrow?.width).toBe(390)
      const body = await page.locator('body').boundingBox()
      expect(body?.width).toBeLessThanOrEqual(390)
      expect(complaints).toEqual([])
      expect(asked.filter((path) => path !== '/docs' && path !== '/favicon.ico')).toEqual([])
    } finally {
      await chrome.close()
    }
  })
})
