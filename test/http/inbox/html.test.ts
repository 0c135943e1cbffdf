// The template of pages: text stays text, attributes are quoted, and no link leads anywhere else.
import { describe, expect, it } from 'vitest'
import { html } from '../../../src/http/inbox/html.ts'

describe('a template', () => {
  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '&lt;b&gt;',
    '</textarea><script>',
    '<!--',
  ])('threat T18 %s is text', (text) => {
    expect(html`<p>${text}</p>`.toString()).not.toMatch(/<(?!\/?p>)/)
    expect(html`<p title="${text}"></p>`.toString()).toMatch(/^<p title="[^"<>]*"><\/p>$/)
  })

  it('takes pieces, lists and nothing as they are', () => {
    expect(html`<ul>${[html`<li>${1}</li>`, null, '&']}</ul>`.toString()).toBe('<ul><li>1</li>&amp;</ul>')
  })

  it.each([
    'javascript:alert(1)',
    'https://elsewhere.test',
    '//elsewhere.test',
    String.raw`/\elsewhere.test`,
    'data:text/html,x',
    ' /x',
    '',
  ])('threat T18 refuses a link to %j', (target) => {
    expect(() => html`<a href="${target}">x</a>`).toThrow('leads out of the app')
  })

  it('lets a link lead to a path of its own, also below where the app is mounted', () => {
    expect(html`<a href="${'/inbox?a=1&b=2'}">x</a>`.toString()).toBe('<a href="/inbox?a=1&amp;b=2">x</a>')
    expect(html`<a href="${''}/inbox">x</a>`.toString()).toBe('<a href="/inbox">x</a>')
    expect(() => html`<a href="${'/'}/elsewhere.test">x</a>`).toThrow('leads out of the app')
  })

  it('refuses a value where none can be quoted', () => {
    expect(() => html`<p ${'onclick'}="x"></p>`).toThrow('Only a quoted attribute')
    expect(() => html`<p class=${'x'}></p>`).toThrow('Only a quoted attribute')
    expect(() => html`<p title="${html`<b>x</b>`}"></p>`).toThrow('An attribute takes text')
  })
})
