import { type PublicPage, sectionOf } from '../engine/house.ts';
import { escapeHtml } from '../formats/markup/escape.ts';
import { userAgent } from './crawl/options.ts';
import { robotSection } from './settings/settings.ts';

/** The page about the robot for administrators of servers, in Czech and English. `--contact` may name it. */
export const aboutPage: PublicPage = {
  path: '/robot',
  summary: 'What the robot is, for administrators of servers that it visits',
  async show(engine) {
    const section = sectionOf(engine.settings, robotSection);
    const agent = escapeHtml(section.agent);
    const rules = { delay: section.reqDelay, pause: section.generalPause, requests: section.maxReqs };
    const more =
      section.contact === ''
        ? ''
        : `<p><a href="${escapeHtml(section.contact)}">${escapeHtml(section.contact)}</a></p>`;
    const content = `<!doctype html><html lang="cs"><meta charset="utf-8"><title>${agent}</title>
<h1>${agent}</h1>
<p>User-Agent: <code>${escapeHtml(userAgent(section))}</code></p>${more}
<h2>Česky</h2>
<p>Tento robot prochází web a sbírá texty pro jazykový korpus. Mezi dvěma požadavky na jeden server čeká nejméně
${rules.delay} s, po nejvýše ${rules.requests} požadavcích nechá celou adresu ${rules.pause} s odpočívat. Řídí se souborem robots.txt (také
<code>Crawl-delay</code>), značkami <code>meta robots</code>, hlavičkou <code>X-Robots-Tag</code> a výhradou vytěžování textů a dat.</p>
<p>Nechcete-li ho, napište do robots.txt:</p>
<pre>User-agent: ${agent}
Disallow: /</pre>
<p>Robot ho znovu přečte nejpozději za den. Odpovědi 429 a 503 ho zpomalí hned.</p>
<h2 lang="en">English</h2>
<div lang="en">
<p>This robot crawls the web and collects text for a language corpus. It waits at least ${rules.delay} s between two requests to a host,
and after at most ${rules.requests} requests it leaves the whole address alone for ${rules.pause} s. It obeys robots.txt (<code>Crawl-delay</code> too),
<code>meta robots</code>, <code>X-Robots-Tag</code> and reservations of text and data mining.</p>
<p>To keep it out, put this into robots.txt:</p>
<pre>User-agent: ${agent}
Disallow: /</pre>
<p>The robot reads it again within a day. Answers 429 and 503 slow it down at once.</p>
</div></html>`;
    return { type: 'text/html; charset=utf-8', content };
  },
};
