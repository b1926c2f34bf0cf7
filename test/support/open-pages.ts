import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { listenToComplaints, startBrowser } from '../../packages/console/test/browser.ts'

interface Opened {
  browser: Browser
  page: Page
  /** Of the browser about the page, so far. */
  complaints: string[]
}

/** Gives each test of a `describe` a page in one browser for all of them; a test fails where complaints are left in the end. */
export function openPages(give: (opened: Opened) => void): void {
  let browser: Browser
  let opened: Opened
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    opened = { browser, page, complaints: listenToComplaints(page) }
    give(opened)
  })
  afterEach(async () => {
    await opened.page.context().close()
    expect(opened.complaints).toEqual([])
  })
}
