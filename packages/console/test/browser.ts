import { type Browser, chromium, type Page } from 'playwright-core'
import { needs } from '../../../test/support/needs.ts'
import { foreign } from '../../../test/foreign/load.ts'

/** The path of Chromium, where it is installed. */
export const browserPath = needs('chromium')

/** Starts Chromium; close it in the end. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] })
}

/** Complaints of a browser about a page since it was made: refused scripts and styles, errors, failed requests. */
export function listenToComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** Does what has the page give way to another one, or to itself anew, and waits until that is there as a whole: until then the browser shows, and takes input for, the one before. */
export async function goOn(page: Page, act: () => Promise<unknown>): Promise<void> {
  // One that is still being loaded would be taken for the next.
  await page.waitForLoadState()
  await Promise.all([page.waitForEvent('load'), act()])
}

const axe = await foreign<{ default: { source: string } }>('axe-core')

/** Findings of axe, where it is installed, against WCAG 2.2, A and AA, on the loaded page: the rule and the elements. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (axe === undefined) return []
  await page.waitForLoadState()
  // Past the page's policy, which lets no such script in.
  const session = await page.context().newCDPSession(page)
  const ask = async (expression: string) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
    return result.value as unknown
  }
  await ask(axe.default.source)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  const found = await ask(
    `axe.run({ runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`,
  )
  await session.detach()
  // As the expression makes it.
  return found as string[]
}

/** What of the loaded page a phone cuts or a thumb misses: a page wider than the screen, cells of cards that are cut or do not say the name of their column, actions lower than 44 pixels. */
export function findMisfits(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const misfits = []
    const { clientWidth: width, scrollWidth } = document.documentElement
    if (scrollWidth > width) misfits.push('the page is ' + scrollWidth + ' wide')
    const textOf = (of) => (of.textContent || of.name || '').trim().slice(0, 40)
    for (const cell of document.querySelectorAll('.scroll:not(.tall) td')) {
      // A brief cell is cut with an ellipsis, and its row opens to the whole.
      if (!cell.checkVisibility() || cell.matches('.brief, .more')) continue
      const column = cell.closest('table').querySelectorAll('th')[cell.cellIndex].textContent
      if (getComputedStyle(cell, '::before').content !== JSON.stringify(column)) misfits.push('no name: ' + column)
      const right = Math.min(width, cell.getBoundingClientRect().right) + 1
      const isCut = [cell, ...cell.querySelectorAll('*')].some(
        (each) => each.getBoundingClientRect().right > right || each.scrollWidth > Math.max(1, each.clientWidth) + 1 && each.clientWidth > 0,
      )
      if (isCut) misfits.push('cut: ' + column + ' ' + textOf(cell))
    }
    const actions = 'button, .button, .actions a, .tabs a, summary, select, td.tick label, main input:not([type=hidden], [type=checkbox], [type=radio])'
    for (const action of document.querySelectorAll(actions)) {
      const { height, width: own } = action.getBoundingClientRect()
      if (action.checkVisibility() && own > 0 && height < 44) misfits.push('low: ' + height + ' ' + action.tagName + ' ' + textOf(action))
    }
    return misfits
  })()`)
}
