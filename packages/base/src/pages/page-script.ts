/** The script of all pages, which precedes a site's own: a phone's menu, keys, local times, and `data-copy`. The last copies the text of the element with that id, or of the one before it. */
export const pageScript = `'use strict'
{
  const menu = document.getElementById('menu')
  const menuButton = document.querySelector('[data-menu]')
  if (menu && menuButton) {
    const show = (isOpen) => {
      menu.toggleAttribute('data-closed', !isOpen)
      menuButton.setAttribute('aria-expanded', String(isOpen))
    }
    menuButton.hidden = false
    show(false)
    menuButton.addEventListener('click', () => show(menu.hasAttribute('data-closed')))
  }

  const units = [['d', 86400000], ['h', 3600000], ['min', 60000], ['s', 1000]]
  const distance = (ms) => {
    const size = Math.abs(ms)
    const [unit, of] = units.find(([, each]) => size >= each) || ['', 0]
    if (!of) return 'now'
    const words = Math.floor(size / of) + ' ' + unit
    return ms < 0 ? words + ' ago' : 'in ' + words
  }
  const showTimes = () => {
    for (const time of document.querySelectorAll('time[data-when], time[data-clock]')) {
      const at = new Date(time.dateTime)
      const title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' }) + ' (' + at.toISOString() + ')'
      const isToday = at.toDateString() === new Date().toDateString()
      const clock = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...(time.dataset.clock === 'second' && { second: '2-digit' }) })
      const text = 'when' in time.dataset ? distance(at - Date.now()) : isToday ? clock : at.toLocaleDateString() + ' ' + clock
      if (time.title !== title) time.title = title
      if (time.textContent !== text) time.textContent = text
    }
  }
  showTimes()
  setInterval(showTimes, 5000)
  document.addEventListener('pawl:shown', showTimes)
  document.addEventListener('htmx:afterSettle', showTimes)

  const step = (by) => {
    const links = [...document.querySelectorAll('main tbody a[href]')]
    const at = links.indexOf(document.activeElement)
    const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by]
    if (next) next.focus()
  }
  let isGoing = false
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (target.closest('input:not([type=checkbox]), textarea, select')) {
      if (key === 'Escape') target.blur()
      return
    }
    if (isGoing) {
      isGoing = false
      const link = document.querySelector('nav a[data-key="' + CSS.escape(key) + '"]')
      if (link) link.click()
      return
    }
    const search = document.querySelector('form.search input:not([type=hidden])')
    const help = document.querySelector('nav a[data-key="?"]')
    if (key === '/' && search) search.focus()
    else if (key === '?' && help) help.click()
    else if (key === 'g') {
      isGoing = true
      setTimeout(() => (isGoing = false), 1500)
      return
    } else if (key === 'j') step(1)
    else if (key === 'k') step(-1)
    else return
    event.preventDefault()
  })

  const showCopies = () => {
    for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false
  }
  showCopies()
  document.addEventListener('pawl:shown', showCopies)
  document.addEventListener('htmx:afterSettle', showCopies)
  document.addEventListener('click', async ({ target }) => {
    const button = target.closest('[data-copy]')
    if (!button) return
    const name = button.dataset.copy
    const source = name ? document.getElementById(name) : button.previousElementSibling
    const say = (text) => {
      if (name) document.getElementById(name + '-copied').textContent = text
      else button.ariaLabel = button.title = text
    }
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.classList.add('done')
      say('Copied')
    } catch {
      getSelection().selectAllChildren(source)
      say('Selected: copy it with the keyboard')
    }
  })
}
`
