import type { ComponentChildren } from 'preact'
import { Frame, Menu } from '@pawl/base/pages/frame'
import { LiveBar } from '@pawl/base/pages/live-bar'
import { assets } from './sandbox-assets.ts'

/** The pages by path, in the order of the menu. */
const pages = [
  ['/_sandbox/', 'Overview'],
  ['/_sandbox/pages/cases', 'Cases'],
  ['/_sandbox/pages/create', 'Create'],
  ['/_sandbox/pages/scenarios', 'Scenarios'],
  ['/_sandbox/pages/deliveries', 'Deliveries'],
  ['/_sandbox/pages/requests', 'Requests'],
  ['/_sandbox/pages/controls', 'Controls'],
  ['/docs', 'Reference'],
] as const

/** Path of a menu entry. */
export type MenuAddress = (typeof pages)[number][0]

/** The menu entry of a path; the overview for a path of no page. */
export function menuEntryOf(path: string) {
  const [overview, ...others] = pages
  return others.find(([address]) => path === address || path.startsWith(`${address}/`)) ?? overview
}

interface LayoutProps {
  title: string
  /** Menu entry of the page. */
  at: MenuAddress
  /** The page's own path; set for pages with live updates. */
  live?: string
  children?: ComponentChildren
}

/** Frame of all sandbox pages. */
export function Layout({ title, at, live, children }: LayoutProps) {
  return (
    <Frame title={title} site="pawl sandbox" home="/_sandbox/" assets={assets} menu={<Menu pages={pages} at={at} />}>
      {live !== undefined && <LiveBar address={live} />}
      {children}
    </Frame>
  )
}

interface LivePartProps {
  /** Unique on the page. */
  name: string
  /** Identifies the content, for parts whose markup differs on each load. */
  stamp?: string
  children: ComponentChildren
}

/** A part of a page with live updates. */
export function LivePart({ name, stamp, children }: LivePartProps) {
  return (
    <div data-live={name} data-stamp={stamp}>
      {children}
    </div>
  )
}
