import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { untilPasses } from "../support/until.ts";
import { openConsole } from "./support/console.ts";

setDefaultTimeout(120_000);

const people = [
  {
    name: "عبد الرحمن بن محمد بن عبد العزيز بن سليمان الفيصل المعروف بأبي القاسم الأندلسي",
    email: "عبدالرحمنبنمحمدبنعبدالعزيزبنسليمانالفيصلالمعروفبأبيالقاسم@example.com",
    note: "ملاحظة طويلة جدا لا تتسع لها خلية واحدة في الجدول لأنها تتكون من كلمات كثيرة ومن جمل كثيرة أيضا",
    tags: ["المستخدمون الذين يعملون في القسم الأول من الشركة"],
  },
  {
    name: "אברהם יצחק יעקב בן־ציון הכהן מירושלים, המכונה גם הסופר הגדול של העיר העתיקה ומבקריה",
    email: "אברהםיצחקיעקבבןציוןהכהןמירושליםהמכונהגםהסופרהגדול@example.com",
    note: "הערה ארוכה מאוד שאין לה מקום בתא אחד של הטבלה מפני שיש בה הרבה מאוד מילים והרבה משפטים",
    tags: ["המשתמשים שעובדים במחלקה הראשונה של החברה הגדולה"],
  },
  {
    name: "محمد Alexander von Humboldt من قسم البحث والتطوير في مكتب القاهرة (Research and Development)",
    email: "محمدAlexanderVonHumboldtمنقسمالبحثوالتطويرفيمكتبالقاهرة@example.com",
    note: "انظر https://example.com/a/very/long/address/of/a/page ثم اتصل بالعميل قبل نهاية الأسبوع القادم",
    tags: ["فريق Research and Development في مكتب القاهرة"],
  },
];

const short = { name: "דוד", email: "david@example.com" };

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  browser = await openBrowser();
  service = await startService();
  for (const person of [...people, short]) await service.roster.users.create(person);
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
});

/** Runs in the page. The texts of the elements that are cut, and those of them that don't show their first letter. */
function findCutTexts(selector: string) {
  const cut = [...document.querySelectorAll(selector)].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  );
  const withoutStart = cut.filter((element) => {
    const letters = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
    const range = document.createRange();
    range.setStart(letters ?? element, 0);
    range.setEnd(letters ?? element, 1);
    const first = range.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    return first.left < box.left - 1 || first.right > box.right + 1;
  });
  return { cut: cut.length, withoutStart: withoutStart.map(({ textContent }) => textContent) };
}

/** Expects that these elements are cut for all users, at the end of their texts. */
const expectStarts = (page: Page, selector: string) =>
  untilPasses(async () =>
    expect(await page.evaluate(findCutTexts, selector)).toEqual({ cut: people.length, withoutStart: [] }),
  );

describe("a right-to-left text that is cut shows its first letters", () => {
  const wide = { width: 1024, height: 800 };
  const phone = { width: 360, height: 740 };

  test("in the cells of the table", async () => {
    const path = "/users?fields=name,email,note,tags";
    await using opened = await openConsole(browser, { service, viewport: wide, path });
    const { page } = opened;
    await page.locator(".user-name").first().waitFor();
    await expectStarts(page, "tbody .user-name");
    await expectStarts(page, "tbody [data-field=email] > span");
    await expectStarts(page, "tbody [data-field=note] > span");
    await expectStarts(page, "tbody .list-cell > .badge");
  });

  test("on a phone, where short names stay at the left", async () => {
    await using opened = await openConsole(browser, { service, viewport: phone });
    const { page } = opened;
    await page.locator(".user-name").first().waitFor();
    await expectStarts(page, "tbody .user-name");
    await expectStarts(page, "tbody .user-email");
    const distance = await page.getByText(short.name).evaluate((name) => {
      const range = document.createRange();
      range.selectNodeContents(name);
      return range.getBoundingClientRect().left - name.getBoundingClientRect().left;
    });
    expect(distance).toBeLessThan(2);
  });

  test("in the newest users and in the palette", async () => {
    await using opened = await openConsole(browser, { service, viewport: phone, path: "/" });
    const { page } = opened;
    await page.locator(".overview-user").first().waitFor();
    await expectStarts(page, ".overview-user > .overview-main");
    await expectStarts(page, ".overview-user > .hint");
    await page.keyboard.press("Control+k");
    await page.locator(".palette-input").fill("example.com");
    await page.locator(".palette-name").nth(3).waitFor();
    await expectStarts(page, ".palette-group:first-child .palette-name");
    await expectStarts(page, ".palette-group:first-child .hint");
  });

  test("in the form of a user", async () => {
    await using opened = await openConsole(browser, { service, viewport: wide, path: "/users" });
    const { page } = opened;
    await page.locator(".user-name").last().click();
    const directionOf = (input: Locator) => input.evaluate((element) => getComputedStyle(element).direction);
    const form = page.getByRole("dialog");
    expect(await directionOf(form.getByLabel("Name", { exact: true }))).toBe("rtl");
    expect(await directionOf(form.getByLabel("Email"))).toBe("rtl");
    expect(await directionOf(form.locator(".custom-field-value").first())).toBe("rtl");
  });
});
