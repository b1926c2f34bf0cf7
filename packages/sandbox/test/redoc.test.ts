import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { browserPath, listenToComplaints, startBrowser } from '../../console/test/browser.ts'
import { startSandbox } from './play.ts'
import { documentedErrors } from 'pawl-client/schemas/documented-errors'
import { allDetailCodes } from 'pawl-client/schemas/outcome'
import { lifeCycles } from '../src/documents/life-cycles.ts'
import { referenceRoutes } from '../src/documents/reference.tsx'
import { createOpenApi } from '../src/documents/sandbox-openapi.ts'
import { eventTypes } from '../src/webhooks/settings.ts'
import { renderer } from './needs-renderer.ts'

describe('the reference of the sandbox', () => {
  it('explains every status, move, detail code, error and event in the OpenAPI document', () => {
    const { tags, webhooks } = createOpenApi() as { tags: { description?: string }[]; webhooks: object }
    const text = tags.map(({ description = '' }) => description).join('\n')
    for (const { title, meanings, rows } of lifeCycles) {
      expect(text).toContain(`## ${title}\n`)
      for (const state of Object.keys(meanings)) expect(text).toMatch(new RegExp(`^\\| \`${state}\`[^|]* \\| \\S`, 'm'))
      for (const { from, to } of rows) expect(text).toContain(`| \`${from}\` | \`${to}\` |`)
    }
    for (const code of [...allDetailCodes, ...Object.keys(documentedErrors)]) expect(text).toContain(`| \`${code}\` |`)
    expect(Object.keys(webhooks)).toEqual(eventTypes)
  })

  it('without the renderer lists the endpoints, links the documents and says how to install it', async () => {
    const app = express().use(referenceRoutes({ renderer: undefined, openApi: createOpenApi }))
    const { text, headers } = await request(app).get('/docs').expect(200)
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(text).toContain('href="/openapi.json"')
    expect(text).toContain('npm run reference')
    expect(text).toContain('POST /prior-authorization</code>')
    await request(app).get('/docs/redoc.js').expect(404)
  })

  it.skipIf(browserPath === undefined || renderer === undefined)(
    'is shown in a browser without eval and without a byte from another host, and can be searched',
    async () => {
      const { sandbox } = await startSandbox()
      const { url } = await sandbox.listen()
      const chrome = await startBrowser()
      try {
        const page = await chrome.newPage({ viewport: { width: 1280, height: 900 } })
        const complaints = listenToComplaints(page)
        const answered: string[] = []
        page.on('response', (response) => answered.push(new URL(response.url()).origin))
        await page.goto(`${url}/docs`)
        await page.getByRole('heading', { name: /Prior authorization and benefit verification service/ }).waitFor()
        for (const name of ['Statuses', 'Errors']) await page.locator('h2', { hasText: name }).first().waitFor()
        await page
          .locator('td code', { hasText: /^unsupported_drug$/ })
          .first()
          .waitFor()
        await page.getByPlaceholder('Search...').fill('transfer')
        await page
          .locator('[data-role="search:results"]')
          .getByText(/transfer/i)
          .first()
          .waitFor()
        expect(answered.filter((origin) => origin !== url && origin !== 'null')).toEqual([])
        // The renderer's own emblem is the one thing that it asks another host for, and the policy refuses that.
        expect(complaints.filter((one) => !one.includes('logo-mini.svg'))).toEqual([])
      } finally {
        await chrome.close()
      }
    },
  )
})
