import json, re, sys
import roster

api = roster.UsersApi(roster.ApiClient(roster.Configuration(host=sys.argv[1])))
ada = api.create_user(roster.UserInput(name="Ada", email="ada@example.com", additional_properties={"department": "engines"}))
for name in ["Grace", "Linus"]:
    api.create_user(roster.UserInput(name=name))
read = api.read_user(ada.id)
updated = api.update_user(ada.id, roster.UserPatch(name="Ada King"), if_match='"1"')
pages, after = [], None
while True:
    page = api.list_users_with_http_info(limit=2, after=after)
    pages.append(len(page.data))
    following = re.search(r'after=([^&>]+)[^>]*>; rel="next"', (page.headers or {}).get("Link", ""))
    if not following:
        break
    after = following[1]
api.delete_user(ada.id)
try:
    api.read_user(ada.id)
    problem = None
except roster.ApiException as error:
    problem = json.loads(error.body)["type"]
print(json.dumps({"read": read.email, "department": read.additional_properties["department"], "version": updated.version, "pages": pages, "problem": problem}))
