import type { ComponentChildren } from 'preact'
import { Frame, Menu } from '../../base/pages/frame.tsx'
import { assets } from './assets.ts'

/** The pages by their addresses, in the order of the menu. */
const pages = [
  ['/_sandbox/', 'Overview'],
  ['/_sandbox/pages/cases', 'Cases'],
  ['/_sandbox/pages/create', 'Create'],
  ['/_sandbox/pages/scenarios', 'Scenarios'],
  ['/_sandbox/pages/deliveries', 'Deliveries'],
  ['/_sandbox/pages/organizations', 'Organizations'],
  ['/_sandbox/pages/limits', 'Quotas'],
  ['/_sandbox/pages/failures', 'Planned failures'],
  ['/_sandbox/pages/chaos', 'Chaos'],
  ['/_sandbox/pages/clock', 'Clock'],
  ['/_sandbox/pages/reset', 'Reset'],
] as const

/** The address of an entry of the menu. */
export type MenuAddress = (typeof pages)[number][0]

interface LayoutProps {
  title: string
  /** The entry of the menu that the page belongs to. */
  at: MenuAddress
  /** The page's own address, where it is to be kept up to date. */
  live?: string
  children?: ComponentChildren
}

/** What all pages of the sandbox have around them. */
export function Layout({ title, at, live, children }: LayoutProps) {
  return (
    <Frame
      title={title}
      site="pawl sandbox"
      assets={assets}
      top={<a href="/docs">Reference</a>}
      menu={<Menu pages={pages} at={at} />}
    >
      {live !== undefined && (
        <div class="bar" data-live-source hx-get={live} hx-trigger="every 2s" hx-swap="none">
          <p class="faint" role="status" data-live-state>
            As of when the page was loaded
          </p>
          <button type="button" data-live-toggle hidden>
            Pause
          </button>
        </div>
      )}
      {children}
    </Frame>
  )
}

interface LivePartProps {
  /** Unlike that of any other part of the page. */
  name: string
  /** What the part shows, where it is written anew each time. */
  stamp?: string
  children: ComponentChildren
}

/** A part of a page that is kept up to date. */
export function LivePart({ name, stamp, children }: LivePartProps) {
  return (
    <div data-live={name} data-stamp={stamp}>
      {children}
    </div>
  )
}
