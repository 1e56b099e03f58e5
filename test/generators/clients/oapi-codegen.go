package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"

	roster "example.org/roster"
)

var next = regexp.MustCompile(`after=([^&>]+)[^>]*>; rel="next"`)

func require(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	api, err := roster.NewClientWithResponses(os.Args[1])
	require(err)
	ctx := context.Background()

	email := "ada@example.com"
	input := roster.UserInput{Name: "Ada"}
	require(json.Unmarshal([]byte(`{"name":"Ada","email":"`+email+`","department":"engines"}`), &input))
	created, err := api.CreateUserWithResponse(ctx, nil, input)
	require(err)
	ada := *created.JSON201
	for _, name := range []string{"Grace", "Linus"} {
		_, err := api.CreateUserWithResponse(ctx, nil, roster.UserInput{Name: name})
		require(err)
	}
	read, err := api.ReadUserWithResponse(ctx, ada.Id, nil)
	require(err)
	name, version := "Ada King", `"1"`
	updated, err := api.UpdateUserWithResponse(ctx, ada.Id, &roster.UpdateUserParams{IfMatch: &version}, roster.UserPatch{Name: &name})
	require(err)
	pages := []int{}
	limit := int64(2)
	var after *string
	for {
		page, err := api.ListUsersWithResponse(ctx, &roster.ListUsersParams{Limit: &limit, After: after})
		require(err)
		pages = append(pages, len(*page.JSON200))
		found := next.FindStringSubmatch(page.HTTPResponse.Header.Get("Link"))
		if found == nil {
			break
		}
		cursor, err := url.QueryUnescape(found[1])
		require(err)
		after = &cursor
	}
	_, err = api.DeleteUserWithResponse(ctx, ada.Id, nil)
	require(err)
	missing, err := api.ReadUserWithResponse(ctx, ada.Id, nil)
	require(err)
	department, _ := read.JSON200.Get("department")
	output, err := json.Marshal(map[string]interface{}{
		"read": read.JSON200.Email, "department": department, "version": updated.JSON200.Version,
		"pages": pages, "problem": missing.ApplicationproblemJSON404.Type,
	})
	require(err)
	fmt.Println(string(output))
}
