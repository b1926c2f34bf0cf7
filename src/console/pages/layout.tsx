import type { ComponentChildren } from 'preact'
import { addressOfAsset, htmxAddress, htmxIntegrity } from '../assets.ts'
import { FormToken, ViewerContext } from './viewer.tsx'

/** The pages by their addresses, in the order of the menu. */
const pages = [
  ['/', 'Overview'],
  ['/alerts', 'Alerts'],
  ['/parked', 'Failing and parked'],
  ['/resources', 'Resources'],
  ['/events', 'Events'],
  ['/rejections', 'Rejections'],
  ['/handlers', 'Handlers'],
  ['/settings', 'Settings'],
  ['/audit', 'Audit trail'],
] as const

/** The address of an entry of the menu. */
export type MenuAddress = (typeof pages)[number][0]

/** Nothing of htmx that the policy of the pages would refuse, and nothing from elsewhere. */
const htmxConfig = JSON.stringify({
  allowEval: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
})

interface LayoutProps {
  title: string
  /** The entry of the menu that the page belongs to. */
  at: MenuAddress | undefined
  children?: ComponentChildren
}

/** What all pages have around them. */
export function Layout({ title, at, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="htmx-config" content={htmxConfig} />
        <title>{`${title} · pawl`}</title>
        <link rel="icon" href={addressOfAsset('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={addressOfAsset('style.css')} />
        <script src={htmxAddress} integrity={htmxIntegrity} defer></script>
        <script src={addressOfAsset('console.js')} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <div class="top">
            <p class="brand">pawl</p>
            <WhoIsHere />
          </div>
          <ViewerContext.Consumer>
            {({ rights }) =>
              rights.has('view') && (
                <nav aria-label="Pages">
                  <ul>
                    {pages
                      .filter(([address]) => address !== '/audit' || rights.has('privacy'))
                      .map(([address, name]) => (
                        <li key={address}>
                          <a href={address} {...(address === at && { 'aria-current': 'page' as const })}>
                            {name}
                          </a>
                        </li>
                      ))}
                  </ul>
                </nav>
              )
            }
          </ViewerContext.Consumer>
        </header>
        <main id="main" tabIndex={-1}>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  )
}

/** Who is logged in, and the way out. */
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
