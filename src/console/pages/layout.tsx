import type { ComponentChildren } from 'preact'
import { addressOfAsset, htmxAddress, htmxIntegrity } from '../assets.ts'

/** The pages by their addresses, in the order of the menu. */
const pages = [
  ['/', 'Overview'],
  ['/parked', 'Failing and parked'],
  ['/resources', 'Resources'],
  ['/events', 'Events'],
  ['/rejections', 'Rejections'],
  ['/handlers', 'Handlers'],
  ['/report', 'Report'],
  ['/settings', 'Settings'],
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
          <p class="brand">pawl</p>
          <nav aria-label="Pages">
            <ul>
              {pages.map(([address, name]) => (
                <li key={address}>
                  <a href={address} {...(address === at && { 'aria-current': 'page' as const })}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <main id="main" tabIndex={-1}>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  )
}
