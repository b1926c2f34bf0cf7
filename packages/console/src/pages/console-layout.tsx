import type { ComponentChildren } from 'preact'
import { Frame, Menu } from '@pawl/base/pages/frame'
import type { Right } from '@pawl/base/roles'
import { assets } from '../console-assets.ts'
import { PostForm } from './forms.tsx'
import { FormToken, ViewerContext } from './viewer.tsx'

/** Titles of the pages by address, in the order of the menu. */
export const pages = [
  ['/', 'Overview', 'o'],
  ['/alerts', 'Alerts', 'a'],
  ['/history', 'History', 'y'],
  ['/parked', 'Failing and parked', 'f'],
  ['/work-queue', 'For people', 'w'],
  ['/resources', 'Resources', 'r'],
  ['/events', 'Events', 'e'],
  ['/runs', 'Runs', 'u'],
  ['/rejections', 'Rejections', 'j'],
  ['/handlers', 'Handlers', 'h'],
  ['/start', 'Start a request', 'n'],
  ['/ask', 'Ask the service', 's'],
  ['/report', 'Report', 'p'],
  ['/settings', 'Settings', 't'],
  ['/audit', 'Audit trail', 'l'],
  ['/erase', 'Erase a patient', 'x'],
  ['/runbook', 'Runbook', 'b'],
  ['/help', 'Keys and help', '?'],
] as const

/** Titles of the groups of the menu, by their first entry. */
const groups = { '/': 'Now', '/resources': 'Look up', '/handlers': 'Steer', '/report': 'Records', '/runbook': 'Help' }

/** The right that an entry needs besides `view`. */
const rightOf: Readonly<Record<string, Right>> = {
  '/audit': 'privacy',
  '/erase': 'privacy',
  '/start': 'start',
}

/** The address of an entry of the menu. */
export type MenuAddress = (typeof pages)[number][0]

interface LayoutProps {
  title: string
  /** In place of the title above the content. */
  heading?: ComponentChildren
  /** The entry of the menu that the page belongs to. */
  at: MenuAddress | undefined
  children?: ComponentChildren
}

/** Common layout of all pages. */
export function Layout({ title, heading, at, children }: LayoutProps) {
  return (
    <ViewerContext.Consumer>
      {({ rights }) => (
        <Frame
          title={title}
          heading={heading}
          site="pawl"
          assets={assets}
          top={
            <>
              {rights.has('view') && <Search />}
              <WhoIsHere />
            </>
          }
          menu={
            rights.has('view') && (
              <Menu
                pages={pages.filter(([address]) => rights.has(rightOf[address] ?? 'view'))}
                at={at}
                groups={groups}
              />
            )
          }
        >
          {children}
        </Frame>
      )}
    </ViewerContext.Consumer>
  )
}

/** The search of all pages: its text travels in the body, and never in an address. */
function Search() {
  return (
    <form class="search" role="search" method="post" action="/resources/find" aria-label="Search" autocomplete="off">
      <FormToken />
      <input
        name="value"
        type="search"
        required
        maxLength={200}
        spellcheck={false}
        aria-label="Search: id, patient's number, member, prescription, trace or event"
        placeholder="Search: id, number, trace, event  ( / )"
      />
      <button type="submit">Search</button>
    </form>
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
              <PostForm action="/logout" label="Log out" isInline>
                <button type="submit">Log out</button>
              </PostForm>
            )}
          </div>
        )
      }
    </ViewerContext.Consumer>
  )
}
