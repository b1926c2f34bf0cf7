/** Script of the reference page: search, calls of this sandbox, and curl commands to copy. The page is readable without it. */
export const referenceScript = String.raw`'use strict'
{
  const all = (selector, within = document) => [...within.querySelectorAll(selector)]
  for (const element of all('[data-scripted]')) element.hidden = false

  // Search.
  const field = document.querySelector('#search')
  const list = document.querySelector('#found')
  const count = document.querySelector('#found-count')
  const entries = all('[data-find]').map((element) => {
    const kind = element.dataset.find
    const named = kind === 'property' || kind === 'status' ? element.id.replace(/^(schema|life)-/, '') : ''
    const title = named || element.querySelector('h3, th').textContent.trim()
    const about = kind === 'error' ? element : element.querySelector('.about, p, td')
    const text = (about ? about.textContent : '').replace(/\s+/g, ' ').trim()
    return { element, kind, title, text, name: title.toLowerCase(), words: (title + ' ' + text).toLowerCase() }
  })

  function rank({ name, kind }, query, words) {
    const own = name.split('.').at(-1)
    const isNamed = words.every((word) => name.includes(word))
    const place = own === query ? 0 : name.startsWith(query) || own.startsWith(query) ? 1 : isNamed ? 2 : 3
    return place * 2 + (kind === 'property' ? 1 : 0)
  }

  function search() {
    const query = field.value.trim().toLowerCase()
    const words = query.split(/\s+/)
    const found = query === '' ? [] : entries.filter((entry) => words.every((word) => entry.words.includes(word)))
    found.sort((one, other) => rank(one, query, words) - rank(other, query, words))
    list.replaceChildren(...found.slice(0, 40).map((entry) => itemOf(entry, words)))
    list.hidden = found.length === 0
    count.textContent = query === '' ? '' : found.length + ' found' + (found.length > 40 ? ', the first 40 are shown' : '')
  }

  /** 120 characters of the text with the first word that the title does not show. */
  function excerptOf({ name, text }, words) {
    const at = text.toLowerCase().indexOf(words.find((word) => !name.includes(word)) ?? '')
    if (at < 80) return text.slice(0, 120)
    const from = text.indexOf(' ', at - 60) + 1
    return '… ' + text.slice(Math.min(from, at), Math.min(from, at) + 120)
  }

  function itemOf(entry, words) {
    const { element, kind, title } = entry
    const item = document.createElement('li')
    const link = document.createElement('a')
    const sort = document.createElement('small')
    const name = document.createElement('code')
    link.href = '#' + element.id
    sort.textContent = kind
    name.textContent = title
    link.append(sort, ' ', name, ' ', excerptOf(entry, words))
    link.addEventListener('click', () => {
      list.hidden = true
      count.textContent = ''
      reveal(element)
    })
    item.append(link)
    return item
  }

  function reveal(element) {
    for (let one = element.parentElement; one !== null; one = one.parentElement) if (one.tagName === 'DETAILS') one.open = true
    element.tabIndex = -1
    element.focus({ preventScroll: true })
    element.scrollIntoView()
  }

  field.addEventListener('input', search)
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    field.value = ''
    search()
  })
  addEventListener('hashchange', () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (target !== null) reveal(target)
  })

  // Calls.
  const tokenField = document.querySelector('#token')
  async function token() {
    if (tokenField.value.trim() === '') {
      const answer = await fetch('/_sandbox/tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      tokenField.value = (await answer.json()).data.token
    }
    return tokenField.value.trim()
  }

  function addressOf(call) {
    const id = call.querySelector('[name=id]')
    return call.dataset.path.replace('{id}', () => encodeURIComponent(id === null ? '' : id.value.trim()))
  }

  function pretty(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch {
      return text
    }
  }

  /** Fills the new id into the other operations. */
  function remember(call, text) {
    const id = /"id":\s?"([^"]+)"/.exec(text)?.[1]
    if (id === undefined || call.dataset.method !== 'POST') return
    for (const other of all('.call'))
      if (other.dataset.path.startsWith(call.dataset.path + '/{id}')) other.querySelector('[name=id]').value = id
  }

  /** Replaces values that the service accepts only once. */
  function withUniqueValues(call, text, number) {
    const fresh = Object.entries(JSON.parse(call.dataset.fresh))
    return fresh.reduce((body, [value, other]) => body.replaceAll('"' + value + '"', () => '"' + other.replace('#', () => number) + '"'), text)
  }

  const tenDigits = () => String(1e9 + Math.floor(Math.random() * 9e9))

  async function send(call) {
    const body = call.querySelector('[name=body]')
    const state = call.querySelector('.state-of-answer')
    const shown = call.querySelector('.answer')
    state.textContent = 'Sending'
    shown.hidden = true
    try {
      const authorization = 'Bearer ' + (await token())
      const started = performance.now()
      const answer = await fetch(addressOf(call), {
        method: call.dataset.method,
        headers: body === null ? { authorization } : { authorization, 'content-type': 'application/json' },
        body: body === null ? undefined : withUniqueValues(call, body.value, tenDigits()),
      })
      const text = await answer.text()
      const headers = ['ratelimit', 'retry-after'].filter((name) => answer.headers.has(name))
      state.textContent = 'Answer: ' + answer.status + ' ' + answer.statusText + ' after ' + Math.round(performance.now() - started) + ' ms'
      shown.textContent = [...headers.map((name) => name + ': ' + answer.headers.get(name)), pretty(text)].join('\n')
      shown.hidden = false
      if (answer.ok) remember(call, text)
    } catch {
      state.textContent = 'The sandbox does not answer.'
    }
  }

  async function curlOf(call) {
    const body = call.querySelector('[name=body]')
    const quoted = body === null ? '' : withUniqueValues(call, pretty(body.value).replaceAll("'", "'\\''"), "'" + call.dataset.number + "'")
    const key = await token()
    return call.dataset.curl
      .replace('$SANDBOX' + call.dataset.path, () => location.origin + addressOf(call))
      .replace('$TOKEN', () => key)
      .replace('{body}', () => quoted)
  }

  async function copy(call) {
    const state = call.querySelector('.state-of-copy')
    const command = await curlOf(call)
    call.querySelector('.curl').textContent = command
    try {
      await navigator.clipboard.writeText(command)
      state.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(call.querySelector('.curl'))
      state.textContent = 'Selected: copy it with the keyboard'
    }
  }

  for (const call of all('.call')) {
    call.querySelector('.send').addEventListener('click', () => void send(call))
    call.querySelector('.copy').addEventListener('click', () => void copy(call))
    const examples = call.querySelector('[name=example]')
    if (examples !== null)
      examples.addEventListener('change', () => (call.querySelector('[name=body]').value = examples.value))
  }
}
`
