import type { ComponentChildren } from 'preact'
import { Frame, Menu } from '../../base/pages/frame.tsx'
import type { Right } from '../../base/roles.ts'
import { assets } from '../console-assets.ts'
import { FormToken, ViewerContext } from './viewer.tsx'

/** Titles of the pages by address, in the order of the menu. */
const pages = [
  ['/', 'Overview'],
  ['/alerts', 'Alerts'],
  ['/parked', 'Failing and parked'],
  ['/work-queue', 'Work queue'],
  ['/resources', 'Resources'],
  ['/events', 'Events'],
  ['/rejections', 'Rejections'],
  ['/drift', 'Drift'],
  ['/handlers', 'Handlers'],
  ['/report', 'Report'],
  ['/settings', 'Settings'],
  ['/start', 'Start a request'],
  ['/audit', 'Audit trail'],
] as const

/** The right that an entry needs besides `view`. */
const rightOf: Readonly<Record<string, Right>> = { '/audit': 'privacy', '/start': 'start' }

/** The address of an entry of the menu. */
export type MenuAddress = (typeof pages)[number][0]

interface LayoutProps {
  title: string
  /** The entry of the menu that the page belongs to. */
  at: MenuAddress | undefined
  children?: ComponentChildren
}

/** Common layout of all pages. */
export function Layout({ title, at, children }: LayoutProps) {
  return (
    <ViewerContext.Consumer>
      {({ rights }) => (
        <Frame
          title={title}
          site="pawl"
          assets={assets}
          top={<WhoIsHere />}
          menu={
            rights.has('view') && (
              <Menu pages={pages.filter(([address]) => rights.has(rightOf[address] ?? 'view'))} at={at} />
            )
          }
        >
          {children}
        </Frame>
      )}
    </ViewerContext.Consumer>
  )
}

/** The logged-in person, and the button to log out. */
function WhoIsHere() {
  return (
    <ViewerContext.Consumer>
      {({ name, hasSession }) =>
        name !== undefined && (
          <div class="who">
            <span>{name}</span>
            {hasSession && (
              <form class="inline" method="post" action="/logout" aria-label="Log out">
                <FormToken />
                <button type="submit">Log out</button>
              </form>
            )}
          </div>
        )
      }
    </ViewerContext.Consumer>
  )
}
