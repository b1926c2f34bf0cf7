import type { ComponentChildren } from 'preact'
import type { Assets } from './assets.ts'

/** Nothing of htmx that the policy of the pages would refuse, and nothing from elsewhere. */
const htmxConfig = JSON.stringify({
  allowEval: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
})

interface FrameProps {
  title: string
  /** What the pages belong to. */
  site: string
  assets: Assets
  /** Beside the name of the site. */
  top?: ComponentChildren
  menu?: ComponentChildren
  children?: ComponentChildren
}

/** What all pages of a site have around them. */
export function Frame({ title, site, assets, top, menu, children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="htmx-config" content={htmxConfig} />
        <title>{`${title} · ${site}`}</title>
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        <script src={assets.htmx.address} integrity={assets.htmx.integrity} defer></script>
        <script src={assets.script} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <div class="top">
            <p class="brand">{site}</p>
            {top}
          </div>
          {menu}
        </header>
        <main id="main" tabIndex={-1}>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  )
}

interface MenuProps<Address extends string> {
  pages: readonly (readonly [address: Address, name: string])[]
  /** The page that is shown, or that belongs below. */
  at: Address | undefined
}

/** The pages by their addresses. */
export function Menu<Address extends string>({ pages, at }: MenuProps<Address>) {
  return (
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
  )
}
